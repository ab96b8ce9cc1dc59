--TEST--
WATCH binds the transaction to its node and connection: a changed key makes exec() false, calls in between go their own way
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
var_dump($redis->watch($a), $redis->get($a), $redis->get($b), $redis->mget([$a, $b]), $redis->getMode());
var_dump($redis->multi()->incr($a)->exec());
var_dump($redis->watch($a, '{one}x'), $other->incr($a));
var_dump($redis->multi()->incr($a)->exec(), $redis->get($a));
echo "unwatch\n";
var_dump($redis->watch([$a]), $other->incr($a), $redis->unwatch(), $redis->multi()->incr($a)->exec());
var_dump($redis->unwatch());
echo "discard\n";
var_dump($redis->watch($a), $redis->multi() === $redis, $redis->discard(), $other->incr($a), $redis->multi()->incr($a)->exec());
echo "an empty transaction\n";
$redis->watch($a);
$other->incr($a);
var_dump($redis->multi()->exec(), $redis->watch($a), $redis->multi()->exec());
echo "other nodes\n";
lab_tell(fn () => $redis->watch($a, $b));
$redis->watch($a);
lab_tell(fn () => $redis->watch($b));
$redis->multi();
lab_tell(fn () => $redis->incr($b));
lab_tell(fn () => $redis->get($a));
lab_tell(fn () => $redis->exec());
var_dump($redis->getMode(), $redis->watch($a), $redis->multi()->get($a)->exec());
echo "a pipeline in between\n";
$redis->watch($a);
var_dump($redis->pipeline()->get($b)->get($a)->exec());
$other->incr($a);
var_dump($redis->multi()->get($a)->exec());
echo "left behind\n";
$redis->watch($a);
$redis->multi()->incr($a);
unset($redis);
gc_collect_cycles();
var_dump($other->multi()->get($a)->exec());
$other->watch($a);
$other->close();
var_dump($other->incr($a), $other->multi()->get($a)->exec());
?>
--EXPECT--
bool(true)
string(1) "1"
string(1) "1"
array(2) {
  [0]=>
  string(1) "1"
  [1]=>
  string(1) "1"
}
int(0)
array(1) {
  [0]=>
  int(2)
}
bool(true)
int(3)
bool(false)
string(1) "3"
unwatch
bool(true)
int(4)
bool(true)
array(1) {
  [0]=>
  int(5)
}
bool(true)
discard
bool(true)
bool(true)
bool(true)
int(6)
array(1) {
  [0]=>
  int(7)
}
an empty transaction
bool(false)
bool(true)
array(0) {
}
other nodes
OneHop\CrossNode, node none, may have executed: false
  WATCH needs all its keys on one node: key "{one}a" is on node node-0, key "{two10}" on node node-1, server pool alpha: the command was not sent; give both keys one hash tag, such as "{one}a" and "{one}{two10}"
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to node node-0 by key "{one}a", but key "{two10}" lives on node-1, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to node node-0 by key "{one}a", but key "{two10}" lives on node-1, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because a call of it was refused: The transaction is bound to node node-0 by key "{one}a", but key "{two10}" lives on node-1, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because a call of it was refused: The transaction is bound to node node-0 by key "{one}a", but key "{two10}" lives on node-1, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
int(0)
bool(true)
array(1) {
  [0]=>
  string(1) "8"
}
a pipeline in between
array(2) {
  [0]=>
  string(1) "1"
  [1]=>
  string(1) "8"
}
bool(false)
left behind
array(1) {
  [0]=>
  string(1) "9"
}
int(10)
array(1) {
  [0]=>
  string(2) "10"
}
