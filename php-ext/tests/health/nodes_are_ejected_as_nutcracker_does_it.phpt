--TEST--
auto_eject_hosts places keys as a live nutcracker does while nodes die, stay away and return
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const KEYS = 100;
const RETRY = 4000; /* A round of all askers must take less. */

final class Node
{
    public int $port;
    private int $id;

    public function __construct(public readonly string $name)
    {
        $this->port = Lab::port();
        $this->begin();
    }

    /** Starts the node. The value of each key is the node's name. */
    public function begin(): void
    {
        $this->id = lab_redis_at($this->port);
        $redis = lab_plain($this->port);
        for ($i = 0; $i < KEYS; $i++) {
            $redis->set(md5("key $i"), $this->name);
        }
    }

    public function end(): void
    {
        Lab::stop($this->id);
    }
}

/** Which node answers for each key: its name, or "-" if the call fails. */
function ask(Redis $redis): array
{
    $names = [];
    for ($i = 0; $i < KEYS; $i++) {
        try {
            $names[] = $redis->get(md5("key $i")) ?: '-';
        } catch (RedisException) {
            $names[] = '-';
        }
    }
    return $names;
}

/** Asks until all askers agree on the node of every key, and together name exactly these nodes. */
function agree(string $what, array $askers, string ...$expected): void
{
    for ($end = hrtime(true) + 60e9; hrtime(true) < $end; usleep(20000)) {
        $maps = [];
        foreach ($askers as $ask) {
            array_push($maps, ...$ask());
        }
        $seen = array_unique($maps[0]);
        sort($seen);
        if ($seen === $expected && count(array_unique($maps, SORT_REGULAR)) === 1) {
            echo "  $what: all agree\n";
            return;
        }
    }
    foreach ($maps as $map) {
        echo "  $what: ", json_encode(array_count_values($map)), "\n";
    }
}

$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
$names = [];
for ($i = 0; $i < $_GET['keys']; $i++) {
    try {
        $names[] = $redis->get(md5("key $i")) ?: '-';
    } catch (OneHop\Exception) {
        $names[] = '-';
    }
}
usleep(20000); /* So all workers are needed. */
echo json_encode($names);
PHP;

$page = lab_fpm([], 3);
foreach (['ketama' => [1, 2, 3], 'modula' => [1, 1, 2]] as $distribution => $weights) {
    echo "$distribution\n";
    [$a, $b, $c] = $nodes = [new Node('a'), new Node('b'), new Node('c')];
    $config = lab_config(
        array_map(
            fn ($node, $weight) => "127.0.0.1:$node->port:$weight $node->name",
            $nodes,
            $weights,
        ),
        [
            'distribution' => $distribution, 'auto_eject_hosts' => 'true',
            'server_failure_limit' => 2, 'server_retry_timeout' => RETRY,
        ],
    );
    $proxy = lab_plain(lab_nutcracker($config));
    $redis = new OneHop\Redis('alpha', $config);
    $topology = new OneHop\Topology('alpha', $config);
    $askers = [
        fn () => [ask($proxy)],
        fn () => [ask($redis)],
        fn () => array_map(
            fn ($answer) => json_decode($answer, true) ?? [$answer],
            $page($script, ['config' => $config, 'keys' => KEYS], 3),
        ),
        fn () => [array_map(fn ($i) => $topology->locate(md5("key $i"))->name, range(0, KEYS - 1))],
    ];
    agree('all are up', $askers, 'a', 'b', 'c');
    $b->end();
    agree('b is gone', $askers, 'a', 'c');
    $c->end();
    agree('c, too', $askers, 'a');
    $b->begin();
    agree('b is back', $askers, 'a', 'b');
    $b->end();
    agree('b is gone again', $askers, 'a');
    $b->begin();
    $c->begin();
    agree('all are back', $askers, 'a', 'b', 'c');
}

echo "a dead node costs as many failures as its limit, each time it is tried\n";
$b->end();
$key = array_search('b', ask_placement($config), true);
for ($round = 0; $round < 2; $round++) {
    $failures = 0;
    for ($is_out = false; !$is_out;) {
        try {
            $redis->get(md5("key $key"));
            $is_out = $failures > 0;
            $is_out || usleep(10000);
        } catch (OneHop\NodeDown) {
            $failures++;
        }
    }
    echo "  failures: $failures, ejected: ", implode(' ', array_map(
        fn ($node) => $node->name,
        array_filter($topology->nodes(), fn ($node) => $node->isEjected),
    )), "\n";
}

function ask_placement(string $config): array
{
    $text = OneHop\Topology::fromText('alpha', file_get_contents($config));
    return array_map(fn ($i) => $text->locate(md5("key $i"))->name, range(0, KEYS - 1));
}
?>
--EXPECT--
ketama
  all are up: all agree
  b is gone: all agree
  c, too: all agree
  b is back: all agree
  b is gone again: all agree
  all are back: all agree
modula
  all are up: all agree
  b is gone: all agree
  c, too: all agree
  b is back: all agree
  b is gone again: all agree
  all are back: all agree
a dead node costs as many failures as its limit, each time it is tried
  failures: 2, ejected: b
  failures: 2, ejected: b
