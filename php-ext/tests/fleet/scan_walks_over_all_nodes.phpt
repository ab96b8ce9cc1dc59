--TEST--
scan() covers all nodes with one iterator that can be resumed and belongs to one topology
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports);
$redis = new OneHop\Redis('alpha', $config);
/** All keys that a loop of scan() finds, written as for one server. */
function walk(Redis $redis, mixed &$iterator, ?callable $between = null, mixed ...$arguments): array
{
    $found = [];
    while (($keys = $redis->scan($iterator, ...$arguments)) !== false) {
        $found = [...$found, ...$keys];
        $between && $between();
    }
    sort($found);
    return $found;
}
$names = array_map(fn ($i) => 'key:' . md5($i), range(1, 1000));
sort($names);

echo "-- no keys: one empty answer, then the end\n";
$iterator = null;
lab_show('the first answer', $redis->scan($iterator));
lab_show('iterator', $iterator);
lab_show('the second answer', $redis->scan($iterator));

echo "-- all keys, each once\n";
$redis->mset(array_fill_keys($names, 1));
$iterator = null;
lab_show('each key is found once', walk($redis, $iterator) === $names);
lab_show('iterator', $iterator);
$iterator = null;
$expected = array_values(preg_grep('/^key:a/', $names));
lab_show(
    'each key of a pattern is found once',
    walk($redis, $iterator, null, 'key:a*', 50) === $expected,
);

echo "-- keys that exist from beginning to end are found, whatever changes meanwhile\n";
$iterator = null;
$round = 0;
$found = walk($redis, $iterator, function () use ($redis, &$round) {
    $redis->mset(array_fill_keys(
        array_map(fn ($i) => 'new:' . md5("$i"), range($round * 100, ++$round * 100)),
        1,
    ));
    $round > 30 && $redis->del(array_map(
        fn ($i) => 'new:' . md5("$i"),
        range(($round - 30) * 100, ($round - 29) * 100),
    ));
}, null, 100);
lab_show('keys missed', array_diff($names, $found));
$redis->del(array_map(fn ($i) => 'new:' . md5("$i"), range(0, $round * 100)));

echo "-- the scan goes on with another object, in another process\n";
$iterator = null;
$found = [];
for ($i = 0; $i < 30; $i++) {
    $found = [...$found, ...$redis->scan($iterator, null, 20)];
    $redis = new OneHop\Redis('alpha', $config);
}
lab_show('in the middle the iterator is a number', is_int($iterator));
lab_show('above 0', $iterator > 0);
$rest = lab_run('<?php
    $redis = new OneHop\Redis("alpha", $argv[1]);
    $it = (int) $argv[2];
    while ($keys = $redis->scan($it)) {
        echo implode("\n", $keys), "\n";
    }', [
    $config,
    (string) $iterator,
]);
$found = array_unique([...$found, ...explode("\n", trim($rest))]);
sort($found);
lab_show('together they have found each key', $found === $names);

echo "-- phpredis' options\n";
$redis->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
$rare = array_values(preg_grep('/^key:abc?/', $names));
$iterator = null;
$answers = 0;
$found = walk($redis, $iterator, function () use (&$answers) { $answers++; }, 'key:ab*', 1);
$expected = array_values(preg_grep('/^key:ab/', $names));
lab_show('SCAN_RETRY finds the keys of a rare pattern', $found === $expected);
lab_show('answers are at most one more than keys', $answers <= count($rare) + 1);
$iterator = null;
lab_show('a pattern that matches no key', $redis->scan($iterator, 'nothing*', 1));
lab_show('iterator', $iterator);
$redis->setOption(Redis::OPT_SCAN, Redis::SCAN_NORETRY);
if (defined('Redis::SCAN_PREFIX')) {
    $redis->setOption(Redis::OPT_SCAN, Redis::SCAN_PREFIX);
    $redis->setOption(Redis::OPT_PREFIX, 'key:a');
    $iterator = null;
    lab_show(
        'SCAN_PREFIX puts the prefix before the pattern',
        walk($redis, $iterator, null, 'b*') === $expected,
    );
    $redis->setOption(Redis::OPT_SCAN, Redis::SCAN_NOPREFIX);
    $redis->setOption(Redis::OPT_PREFIX, '');
}
echo "-- an iterator of another topology\n";
$iterator = null;
$redis->scan($iterator);
$kept = $iterator;
// A cursor holds 11 bits of its topology, so one other topology in 2,048 has the same bits.
$bits = static fn (string $path)
    => hexdec(substr((new OneHop\Topology('alpha', $path))->fingerprint(), 0, 3)) >> 1;
do {
    $port = lab_redis();
    $path = lab_config([...$ports, $port], [], "larger-$port.yml");
} while ($bits($path) === $bits($config));
$larger = new OneHop\Redis('alpha', $path);
lab_tell(function () use ($larger, &$iterator) { return $larger->scan($iterator); });
lab_show('the iterator stays', $iterator === $kept);
foreach ([17 | ($bits($config) ^ 1) << 52, 1 << 45, PHP_INT_MAX] as $iterator) {
    lab_tell(function () use ($redis, &$iterator) { return $redis->scan($iterator); });
}
echo "-- not in a pipeline\n";
$iterator = null;
lab_tell(function () use ($redis, &$iterator) { return $redis->pipeline()->scan($iterator); });
$redis->discard();
lab_show('after the pipeline it finds keys', count($redis->scan($iterator)) > 0);
?>
--EXPECT--
-- no keys: one empty answer, then the end
the first answer: []
iterator: 0
the second answer: false
-- all keys, each once
each key is found once: true
iterator: 0
each key of a pattern is found once: true
-- keys that exist from beginning to end are found, whatever changes meanwhile
keys missed: []
-- the scan goes on with another object, in another process
in the middle the iterator is a number: true
above 0: true
together they have found each key: true
-- phpredis' options
SCAN_RETRY finds the keys of a rare pattern: true
answers are at most one more than keys: true
a pattern that matches no key: []
iterator: 0
SCAN_PREFIX puts the prefix before the pattern: true
-- an iterator of another topology
OneHop\Unsupported, node none, may have executed: false
  The cursor belongs to another topology, server pool alpha: the command was not sent; start again with null
the iterator stays: true
OneHop\Unsupported, node none, may have executed: false
  The cursor belongs to another topology, server pool alpha: the command was not sent; start again with null
OneHop\Unsupported, node none, may have executed: false
  The cursor belongs to another topology, server pool alpha: the command was not sent; start again with null
OneHop\Unsupported, node none, may have executed: false
  The cursor belongs to another topology, server pool alpha: the command was not sent; start again with null
-- not in a pipeline
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::scan() is not supported: the command was not sent; it takes several round trips, each depending on the last; call it outside
after the pipeline it finds keys: true
