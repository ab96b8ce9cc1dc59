--TEST--
SORT and GEORADIUS with STORE write to the same node, or fail with CrossNode before sending
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config(
    ['127.0.0.1:' . lab_redis() . ':1 a', '127.0.0.1:' . lab_redis() . ':1 b'],
    ['hash_tag' => '"{}"'],
);
$keys = lab_key_of_each($config);
$redis = new OneHop\Redis('alpha', $config);
$redis->rPush("{{$keys['a']}}list", 3, 1, 2);
lab_tell(fn () => $redis->sort("{{$keys['a']}}list", ['STORE' => "{{$keys['a']}}sorted"]));
lab_tell(fn () => $redis->lRange("{{$keys['a']}}sorted", 0, -1) === ['1', '2', '3']);
try {
    $redis->sort("{{$keys['a']}}list", ['sort' => 'desc', 'store' => "{{$keys['b']}}sorted"]);
} catch (OneHop\CrossNode $e) {
    echo str_replace([$keys['a'], $keys['b']], ['A', 'B'], $e->getMessage()), ' ',
        var_export($e->mayHaveExecuted(), true), "\n";
}
lab_tell(fn () => $redis->exists("{{$keys['b']}}sorted"));
?>
--EXPECT--
value: 3
value: true
SORT needs all its keys on one node: key "{A}list" is on node a, key "{B}sorted" on node b, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{A}list" and "{A}{B}sorted" false
value: 0
