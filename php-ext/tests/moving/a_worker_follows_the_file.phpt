--TEST--
No key is lost when moving_from is added to a worker's file, or removed from it
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/moving.inc';

[$first, $second] = [lab_redis(), lab_redis()];
$plain = [lab_plain($first), lab_plain($second)];
/* Replaces the file in one step, so nobody reads half of it. */
$write = static function (array $ports, array $from): string {
    $next = lab_config(
        moving_names($ports),
        $from ? ['moving_from' => '["' . implode('", "', moving_names($from)) . '"]'] : [],
    );
    rename($next, $file = Lab::file('worker.yml'));
    return $file;
};
/** True if all connections to these servers have the name of the file. */
$is_named = static function (string $file, Redis ...$servers): bool {
    $name = 'onehop:alpha:' . substr((new OneHop\Topology('alpha', $file))->fingerprint(), 0, 8);
    $found = array_merge(...array_map(
        static fn ($server) => array_column($server->client('list'), 'name'),
        $servers,
    ));
    return array_values(array_unique(array_filter($found))) === [$name];
};
$keys = array_map(static fn ($i) => "k$i", range(0, 9));
$ours = new OneHop\Redis('alpha', $write([$first], []));
foreach ($keys as $key) {
    $ours->set($key, 0);
}

/** Counts up until a key of the worker is on that server; true if nothing was lost meanwhile. */
$calls = 0;
$work = static function (Redis $server) use ($ours, $keys, &$calls): bool {
    for ($end = microtime(true) + 30; microtime(true) < $end;) {
        $calls++;
        foreach ($keys as $key) {
            if ((int) $ours->get($key) !== $calls - 1 || $ours->incr($key) !== $calls) {
                return false;
            }
        }
        if ($server->exists(...$keys) === count($keys)) {
            return true;
        }
        usleep(1000);
    }
    return false;
};
lab_show('before', $work($plain[0]));
$file = $write([$second], [$first]);
lab_show('while keys move', $work($plain[1]));
lab_show('named by that file', $is_named($file, ...$plain));
lab_show('left', $plain[0]->exists(...$keys));

/* As long as keys move, each write asks the old node, by one command or another. */
$asked = static fn () => array_sum(array_map(static function ($name) use ($plain): int {
    $calls = 0;
    sscanf($plain[0]->info('commandstats')["cmdstat_$name"] ?? '', 'calls=%d', $calls);
    return (int) $calls;
}, ['migrate', 'dump']));
$file = $write([$second], []);
$end = microtime(true) + 30;
do {
    $before = $asked();
    $is_well = $work($plain[1]);
    $is_over = $asked() === $before && $is_named($file, $plain[1]);
} while ($is_well && !$is_over && microtime(true) < $end);
lab_show('afterwards', $is_well && $is_over);
?>
--EXPECT--
before: true
while keys move: true
named by that file: true
left: 0
afterwards: true
