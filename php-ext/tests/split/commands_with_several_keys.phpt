--TEST--
Commands with several keys answer as on one server: keys of one hash tag, and split commands
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/parity.inc';

$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];
$config = lab_config(array_slice($ports, 0, 3), ['hash_tag' => '"{}"']);
$ours = new OneHop\Redis('alpha', $config);
$plain = lab_plain(lab_redis());
$calls = [
    ['mset', ['{t}a' => '1', '{t}b' => '2', 'c' => '3', 7 => '4']], ['rename', '{t}a', '{t}d'],
    ['renameNx', '{t}d', '{t}b'], ['rename', '{t}no', '{t}d'],
    ['msetnx', ['{t}n1' => 1, '{t}n2' => 2]], ['msetnx', ['{t}n2' => 1, '{t}n3' => 2]],
    ['mget', ['{t}n1', '{t}n3', 'c', 7]],
    ['sAdd', '{t}s1', 'a', 'b', 'c'], ['sAdd', '{t}s2', 'b', 'c', 'd'],
    ['sInterStore', '{t}s3', '{t}s1', '{t}s2'], ['sDiff', '{t}s1', '{t}s2'],
    ['sUnionStore', '{t}s4', '{t}s1', '{t}s2'], ['sCard', '{t}s4'],
    ['sMove', '{t}s1', '{t}s2', 'a'], ['sInter', ['{t}s1', '{t}no']],
    ['rPush', '{t}l', 'x', 'y'], ['rpoplpush', '{t}l', '{t}m'], ['lRange', '{t}m', 0, -1],
    ['zAdd', '{t}z1', 1, 'a', 2, 'b'], ['zAdd', '{t}z2', 3, 'b'],
    ['zUnionStore', '{t}z3', ['{t}z1', '{t}z2'], [2, 1], 'MAX'], ['zRange', '{t}z3', 0, -1, true],
    ['zInterStore', '{t}z4', ['{t}z1', '{t}z2']], ['pfadd', '{t}p1', ['a']],
    ['pfadd', '{t}p2', ['b']], ['pfmerge', '{t}p3', ['{t}p1', '{t}p2']],
    ['pfcount', ['{t}p1', '{t}p2']], ['pfcount', '{t}p3'],
    ['bitop', 'AND', '{t}bits', '{t}n1', '{t}n2'], ['get', '{t}bits'],
    ['rPush', '{t}list', 3, 1, 2], ['mset', ['{t}w_1' => 30, '{t}w_2' => 20, '{t}w_3' => 10]],
    ['sort', '{t}list', ['by' => '{t}w_*', 'store' => '{t}sorted']],
    ['lRange', '{t}sorted', 0, -1],
    ['sort', '{t}list', ['by' => 'nosort', 'get' => ['#', '{t}w_*']]],
    ['geoadd', '{t}g', 13.361389, 38.115556, 'Palermo'],
    ['georadius', '{t}g', 13, 38, 200, 'km', ['STORE' => '{t}near']], ['zCard', '{t}near'],
    ['eval', 'return {KEYS[1], KEYS[2], ARGV[1]}', ['{t}a', '{t}b', 'x'], 2],
    ['eval', 'return redis.call("GET", KEYS[1])', ['{t}b'], 1],
    ['eval', 'return redis.error_reply("ERR mine")', ['{t}b'], 1],
    ['evalSha', sha1('no script at all'), ['{t}b'], 1],
    ['xAdd', '{t}x', '1-1', ['a' => '1']], ['object', 'encoding', '{t}n1'],
    ['xGroup', 'CREATE', '{t}x', 'g', '0'], ['xInfo', 'GROUPS', '{t}x'],
    ['exists', '{t}a', '{t}b', 'c', 'c', 'no'], ['unlink', ['{t}n1', 'c']],
    ['del', '{t}n2', 7, '{t}no'], ['del', '{t}z1'],
    ['rawCommand', 'LMOVE', '{t}m', '{t}l', 'LEFT', 'RIGHT'],
    ['rawCommand', 'SINTERCARD', '2', '{t}s2', '{t}s4'],
    ['rename', '{t}x'], ['eval', 'return 1', ['{t}a', '{t}b'], 3], ['sInter'], ['mset', 'text'],
    ['bitop', 'AND', '{t}bits'],
];
$walk = static fn (Redis $redis) => array_map(fn ($call) => parity_tell($redis, $call), $calls);
lab_show('as on one server', parity_compare($walk($plain), $walk($ours)));

/* In a pipeline the same calls have the same replies. */
$pipe = static function (Redis $redis) use ($calls) {
    $redis->del(
        '{t}s1',
        '{t}s2',
        '{t}s3',
        '{t}s4',
        '{t}l',
        '{t}m',
        '{t}z2',
        '{t}z3',
        '{t}z4',
        '{t}x',
        '{t}b',
        '{t}d',
    );
    $pipe = $redis->pipeline();
    foreach (array_slice($calls, 0, -5) as $call) {
        $pipe->{$call[0]}(...array_slice($call, 1));
    }
    return array_map(json_encode(...), $pipe->exec());
};
lab_show('in a pipeline', parity_compare($pipe($plain), $pipe($ours)));

/* With keys of several nodes nothing is sent, and the object stays usable. */
$keys = array_values(lab_key_of_each($config));
$refused = 0;
foreach ([
    ['rename', $keys[0], $keys[1]], ['sInter', [$keys[0], $keys[1]]],
    ['sUnionStore', $keys[0], $keys[1], $keys[2]], ['zInterStore', $keys[0], [$keys[1]]],
    ['pfcount', [$keys[0], $keys[1]]], ['eval', 'return 1', [$keys[0], $keys[1]], 2],
    ['msetnx', [$keys[0] => 1, $keys[1] => 2]],
    ['rawCommand', 'MSETEX', '2', $keys[0], 'v', $keys[1], 'v', 'EX', '9', 'nx'],
    ['sort', $keys[0], ['store' => $keys[1]]],
    ['sort', $keys[0], ['get' => ['#', 'w_*']]], ['bitop', 'OR', $keys[0], $keys[1], $keys[2]],
] as $call) {
    foreach ([$ours, $ours->pipeline()] as $redis) {
        try {
            $redis->{$call[0]}(...array_slice($call, 1));
        } catch (OneHop\CrossNode $e) {
            $refused += !$e->mayHaveExecuted();
        }
    }
    if ($ours->exec() !== []) {
        echo "$call[0] was queued\n";
    }
}
lab_show('refused', $refused);
try {
    $ours->sort('{t}list', ['sort' => 'desc', 'store' => "{{$keys[1]}}sorted"]);
} catch (OneHop\CrossNode $e) {
    echo str_replace($keys[1], 'B', $e->getMessage()), ' ',
        var_export($e->mayHaveExecuted(), true), "\n";
}
lab_show('written', $ours->exists("{{$keys[1]}}sorted"));
lab_tell(fn () => $ours->eval('return 1'));
lab_tell(fn () => $ours->eval('return 1', ['x'], 0));
/* Without hash_tag no pattern has one node, unless there is only one node. */
lab_tell(fn () => (new OneHop\Redis(
    'alpha',
    lab_config(array_map(fn () => lab_redis(), range(1, 2))),
))->sort('{t}s', ['by' => '{t}w_*']));
lab_tell(fn () => (new OneHop\Redis('alpha', lab_config([
    lab_redis(),
])))->sort('s', ['by' => 'w_*', 'store' => 'd']));

echo "split commands, whatever the form of their keys\n";
$config = lab_config($ports);
$ours = new OneHop\Redis('alpha', $config);
array_map(static fn ($port) => lab_plain($port)->flushAll(), $ports);
$plain->flushAll();
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
foreach (['' => 'alone', 'p:' => 'with a prefix'] as $prefix => $what) {
    $told = [];
    foreach ([$plain, $ours] as $redis) {
        $redis->setOption(Redis::OPT_PREFIX, $prefix);
        $told[] = array_map(fn ($call) => parity_tell($redis, $call), $calls);
    }
    lab_show($what, parity_compare(...$told));
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
lab_show('in a pipeline', parity_compare($pipe($plain), $pipe($ours)));
?>
--EXPECT--
as on one server: true
in a pipeline: true
refused: 22
SORT needs all its keys on one node: key "{t}list" is on node node-2, key "{B}sorted" on node node-1, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{t}list" and "{t}{B}sorted" false
written: 0
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::eval() is not supported: the command was not sent; a script or function without keys cannot be placed: pass the keys it uses (or one name with their hash tag), or run it on each node with onEachNode
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::eval() is not supported: the command was not sent; a script or function without keys cannot be placed: pass the keys it uses (or one name with their hash tag), or run it on each node with onEachNode
OneHop\CrossNode, node none, may have executed: false
  SORT reads keys made from the pattern "{t}w_*", which may live on any node, server pool alpha: the command was not sent; put the sorted key's hash tag before the *, and set hash_tag: "{}" in the server pool
value: 0
split commands, whatever the form of their keys
alone: true
with a prefix: true
in a pipeline: true
