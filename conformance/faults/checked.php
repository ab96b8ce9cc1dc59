<?php
/*
 * One page of conformance/faults: reads keys alone, in pipelines and by MGET, and compares every
 * value with its key. Answers JSON: how many values were wrong, which exceptions came from which
 * node, and the longest call: when it began, how long it took, and how much of that time this
 * process or a node (by its pid in `nodes`) was ready to run but waited for a processor.
 */
declare(strict_types=1);

const KEYS = 1000;

/** How many nanoseconds this process and each node have waited for a processor so far. */
function waited(): array
{
    static $files = null;
    $files ??= array_map(
        static fn (string $process) => "/proc/$process/schedstat",
        ['self', ...array_filter(explode(',', $_GET['nodes'] ?? ''))],
    );
    return array_map(
        static fn (string $file) => (int) explode(' ', file_get_contents($file))[1],
        $files,
    );
}

mt_srand((int) $_GET['seed']);
$answer = [
    'pid' => getmypid(), 'calls' => 0, 'wrong' => 0, 'errors' => [], 'longest' => 0, 'queued' => 0,
    'began' => 0,
];
$waited = waited();

$tell = static function (string $class, ?string $node) use (&$answer): void {
    $what = "$class $node";
    $answer['errors'][$what] = ($answer['errors'][$what] ?? 0) + 1;
};

/** Makes a call and compares its value with $expected; several values belong to $keys. */
$check = static function (
    callable $call,
    mixed $expected,
    array $keys = [],
) use (&$answer, &$waited, $tell): void {
    $start = hrtime(true);
    try {
        $answer['wrong'] += $call() !== $expected;
    } catch (OneHop\PartialBatch $e) {
        $replies = $e->getReplies();
        foreach ($keys as $i => $key) {
            $has_failed = isset(
                $e->getFailures()[(new OneHop\Topology('alpha'))->locate($key)->name],
            );
            $answer['wrong'] += !$has_failed && $replies[$i] !== $expected[$i];
        }
        array_map(
            static fn (string $node) => $tell('OneHop\PartialBatch', $node),
            array_keys($e->getFailures()),
        );
    } catch (OneHop\Exception $e) {
        $tell(get_class($e), $e->getNode());
    }
    $taken = hrtime(true) - $start;
    $before = $waited;
    $waited = waited();
    $waits = array_map(static fn (int $now, int $then) => $now - $then, $waited, $before);
    $queued = array_shift($waits) + max([0, ...$waits]);
    $answer['calls']++;
    if ($taken - $queued > $answer['longest'] - $answer['queued']) {
        [$answer['longest'], $answer['queued'], $answer['began']] = [$taken, $queued, $start];
    }
};

$keys = static fn (int $count): array
    => array_map(static fn () => 'key:' . mt_rand(0, KEYS - 1), range(1, $count));
$values = static fn (array $keys): array
    => array_map(static fn (string $key) => "value of $key", $keys);

$redis = new OneHop\Redis('alpha');
for ($round = 0; $round < (int) $_GET['rounds']; $round++) {
    foreach ($keys(5) as $key) {
        $check(static fn () => $redis->get($key), "value of $key");
    }
    $ten = $keys(10);
    $check(static fn () => $redis->mget($ten), $values($ten), $ten);
    $check(static function () use ($redis, $ten) {
        $pipeline = $redis->pipeline();
        array_map($pipeline->get(...), $ten);
        return $pipeline->exec();
    }, $values($ten), $ten);
    usleep((int) ($_GET['pause'] ?? 0));
}

/* Some pages also read a large configuration, if the program needs frequent publications. */
if (mt_rand() % 8 === 0 && isset($_GET['large'])) {
    $path = dirname(ini_get('onehop.config')) . '/large' . mt_rand(0, (int) $_GET['large'] - 1)
        . '.yml';
    $check(static fn () => (new OneHop\Topology('large', $path))->locate('key:1')->port, 1);
}
$nodes = array_map(
    static fn ($node) => "$node->name:$node->weight",
    (new OneHop\Topology('alpha'))->nodes(),
);
sort($nodes);
$answer['nodes'] = implode(' ', $nodes);
$answer['errors'] = (object) $answer['errors'];
echo json_encode($answer);
