--TEST--
WATCH binds a transaction to its node and connection; a changed key makes exec() return false
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis()];
$config = lab_config($ports, ['hash_tag' => '"{}"']);
$redis = new OneHop\Redis('alpha', $config);
$other = new OneHop\Redis('alpha', $config);
[$a, $b] = array_values(lab_key_of_each($config, '{k'));
$a = '{one}a';
$topology = new OneHop\Topology('alpha', $config);
for ($i = 0; $topology->locate($b = "{two$i}")->name === $topology->locate($a)->name; $i++);

$redis->mset([$a => 1, $b => 1]);
echo "-- the key does not change\n";
lab_show('WATCH', $redis->watch($a));
lab_show('GET of the watched key', $redis->get($a));
lab_show('GET of a key of the other node', $redis->get($b));
lab_show('MGET of both', $redis->mget([$a, $b]));
lab_show('mode', $redis->getMode());
lab_show('the transaction', $redis->multi()->incr($a)->exec());
echo "-- another client changes the key\n";
lab_show('WATCH of two keys', $redis->watch($a, '{one}x'));
lab_show('INCR by another client', $other->incr($a));
lab_show('the transaction', $redis->multi()->incr($a)->exec());
lab_show('the value is that of the other client', $redis->get($a));
echo "-- unwatch\n";
lab_show('WATCH', $redis->watch([$a]));
lab_show('INCR by another client', $other->incr($a));
lab_show('UNWATCH', $redis->unwatch());
lab_show('the transaction', $redis->multi()->incr($a)->exec());
lab_show('UNWATCH without a watched key', $redis->unwatch());
echo "-- discard\n";
lab_show('WATCH', $redis->watch($a));
lab_show('MULTI gives the client', $redis->multi() === $redis);
lab_show('DISCARD', $redis->discard());
lab_show('INCR by another client', $other->incr($a));
lab_show('the next transaction', $redis->multi()->incr($a)->exec());
echo "-- an empty transaction\n";
$redis->watch($a);
$other->incr($a);
lab_show('after a change', $redis->multi()->exec());
lab_show('WATCH', $redis->watch($a));
lab_show('without a change', $redis->multi()->exec());
echo "-- other nodes\n";
lab_tell(fn () => $redis->watch($a, $b));
$redis->watch($a);
lab_tell(fn () => $redis->watch($b));
$redis->multi();
lab_tell(fn () => $redis->incr($b));
lab_tell(fn () => $redis->get($a));
lab_tell(fn () => $redis->exec());
lab_show('mode', $redis->getMode());
lab_show('WATCH', $redis->watch($a));
lab_show('a transaction', $redis->multi()->get($a)->exec());
echo "-- a pipeline in between\n";
$redis->watch($a);
lab_show('the pipeline', $redis->pipeline()->get($b)->get($a)->exec());
$other->incr($a);
lab_show('the transaction, after a change', $redis->multi()->get($a)->exec());
echo "-- abandoned clients\n";
$redis->watch($a);
$redis->multi()->incr($a);
unset($redis);
gc_collect_cycles();
lab_show('the value after a client disappears in the middle', $other->multi()->get($a)->exec());
$other->watch($a);
$other->close();
lab_show('INCR after close()', $other->incr($a));
lab_show('a transaction that watches nothing', $other->multi()->get($a)->exec());
?>
--EXPECT--
-- the key does not change
WATCH: true
GET of the watched key: "1"
GET of a key of the other node: "1"
MGET of both: ["1","1"]
mode: 0
the transaction: [2]
-- another client changes the key
WATCH of two keys: true
INCR by another client: 3
the transaction: false
the value is that of the other client: "3"
-- unwatch
WATCH: true
INCR by another client: 4
UNWATCH: true
the transaction: [5]
UNWATCH without a watched key: true
-- discard
WATCH: true
MULTI gives the client: true
DISCARD: true
INCR by another client: 6
the next transaction: [7]
-- an empty transaction
after a change: false
WATCH: true
without a change: []
-- other nodes
OneHop\CrossNode, node none, may have executed: false
  WATCH needs all its keys on one node: key "{one}a" is on node node-0, key "{two10}" on node node-1, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{one}a" and "{one}{two10}"
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to node node-0 by key "{one}a", but key "{two10}" belongs to node node-1, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to node node-0 by key "{one}a", but key "{two10}" belongs to node node-1, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: The transaction is bound to node node-0 by key "{one}a", but key "{two10}" belongs to node node-1, server pool alpha: the command was not sent; call discard(), then start again; give its keys a common hash tag, so that they share a node
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: The transaction is bound to node node-0 by key "{one}a", but key "{two10}" belongs to node node-1, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
mode: 0
WATCH: true
a transaction: ["8"]
-- a pipeline in between
the pipeline: ["1","8"]
the transaction, after a change: false
-- abandoned clients
the value after a client disappears in the middle: ["9"]
INCR after close(): 10
a transaction that watches nothing: ["10"]
