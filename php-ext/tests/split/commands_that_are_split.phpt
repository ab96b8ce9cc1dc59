--TEST--
Split commands answer as one server does, whatever the form of their keys
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/parity.inc';

$config = lab_config(array_map(fn () => lab_redis(), range(1, 4)));
$ours = new OneHop\Redis('alpha', $config);
$plain = lab_plain(lab_redis());
[$k, $l, $m, $n] = array_values(lab_key_of_each($config));
$calls = [
    ['mset', [$k => '1', $l => '2', $m => '3', $n => '4', 7 => '5']],
    ['mget', [$n, $k, 'no', $k, 7, $m]], ['mget', [$k]], ['mget', []], ['mget', 'text'],
    ['exists', $k, $l, 'no', $k], ['exists', [$k, $l]], ['exists', $k], ['exists'],
    ['del', $k, 'no'], ['del', [$l, $m, $l]], ['del', []], ['unlink', $n, 7],
    ['mset', []], ['mset', [$k => 1.5, $l => true, $m => null]], ['mget', [$k, $l, $m]],
    ['del', $k, $l, $m],
    ['xAdd', $k, '1-1', ['a' => '1']], ['xAdd', $l, '1-1', ['b' => '2']],
    ['xAdd', $l, '1-2', ['c' => '3']], ['xAdd', $m, '1-1', ['d' => '4']],
    ['xRead', [$m => '0', $n => '0', $k => '0', $l => '1-1']], ['xRead', [$k => '5', $l => '5']],
    ['xRead', [$l => '0', $k => '0'], 1], ['xRead', [$n => '0']],
    ['xGroup', 'CREATE', $k, 'g', '0'], ['xGroup', 'CREATE', $l, 'g', '0'],
    ['xReadGroup', 'g', 'me', [$l => '>', $k => '>'], 1],
    ['xReadGroup', 'g', 'me', [$l => '0', $k => '0']], ['xReadGroup', 'none', 'me', [$l => '>']],
    ['pubsub', 'numsub', [$k, $l, $m]], ['pubsub', 'numsub', ['one']],
    ['rawCommand', 'PUBSUB', 'NUMSUB', $l, $k],
    ['rawCommand', 'XREAD', 'COUNT', '1', 'STREAMS', $l, $n, $k, '0', '0', '0'],
    ['rawCommand', 'XREAD', 'STREAMS', $l, $k],
];
if (phpversion('redis') !== '5.3.7') {
    array_push($calls, ['touch', $k, $l, 'no'], ['touch', [$k]]);
}
foreach (['', 'p:'] as $prefix) {
    $told = [];
    foreach ([$plain, $ours] as $redis) {
        $redis->setOption(Redis::OPT_PREFIX, $prefix);
        $told[] = array_map(fn ($call) => parity_tell($redis, $call), $calls);
    }
    var_dump(parity_compare(...$told));
}

/* Commands keep their order among the others of a pipeline. */
$pipe = static fn (Redis $redis) => array_map(
    json_encode(...),
    $redis->pipeline()->mset([$k => 1, $l => 2])->get($l)->del($k, $l, 'no')->get($k)
        ->mget([$l, $k])->set($m, 'x') ->exists([$m, $k])
        ->rawCommand('MSET', "raw:$k", '1', "raw:$l", '2')->mget(["raw:$l", "raw:$k"])->exec(),
);
foreach ([$plain, $ours] as $redis) {
    $redis->setOption(Redis::OPT_PREFIX, '');
    $redis->del([$k, $l, $m, $n]);
}
var_dump(parity_compare($pipe($plain), $pipe($ours)));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
