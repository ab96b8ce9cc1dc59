--TEST--
A Redis Cluster: every command goes to the slot of its key, those of several slots are cut, and all others are the masters'
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3, 1);
$config = $cluster->config([], array_slice($cluster->ports, 0, 1));
$cluster->forgetStatistics();
$redis = new OneHop\Redis('alpha', $config);

echo "one key\n";
$wrong = 0;
for ($i = 0; $i < 1000; $i++) {
    $redis->set("key:$i", "value:$i");
    $wrong += $redis->get("key:$i") !== "value:$i";
}
printf("%d wrong, %d redirects, %d questions, %d keys\n", $wrong, $cluster->errors('MOVED'), $cluster->questions(), $redis->dbSize());
var_dump($redis->get('nobody'), $redis->hSet('{user:1}:h', 'name', 'Ada'), $redis->hGetAll('{user:1}:h'));

echo "several slots\n";
$keys = array_map(static fn ($i) => "key:$i", range(0, 999));
$values = array_map(static fn ($i) => "value:$i", range(0, 999));
var_dump($redis->mGet($keys) === $values);
var_dump($redis->mGet(['key:1', 'nobody', 'key:1']));
var_dump($redis->mSet(array_combine(array_map(static fn ($key) => "more:$key", $keys), $values)));
var_dump($redis->exists(array_map(static fn ($key) => "more:$key", $keys)));
var_dump($redis->del(array_map(static fn ($key) => "more:$key", $keys)));
var_dump($redis->rawCommand('MGET', 'key:1', 'key:2', 'nobody'));
var_dump($redis->pipeline()->mGet(['key:5', 'key:6', 'key:7'])->get('key:8')->exec());
$redis->setOption(Redis::OPT_PREFIX, 'key:');
var_dump($redis->mGet(['1', '2', '3']));
$redis->setOption(Redis::OPT_PREFIX, '');

echo "one slot\n";
lab_tell(static fn () => $redis->sInter('a', 'b'));
lab_tell(static fn () => $redis->rename('a', 'b'));
lab_tell(static fn () => $redis->rawCommand('SINTER', 'a', 'b'));
var_dump($redis->sAdd('{s}1', 'x', 'y'), $redis->sAdd('{s}2', 'y', 'z'), $redis->sInter('{s}1', '{s}2'));

echo "all masters\n";
var_dump(count($redis->keys('key:*')), count($redis->onEachNode('ping')), $redis->ping());
$found = [];
for ($cursor = null; ($page = $redis->scan($cursor, 'key:*')) !== false;) {
    $found = [...$found, ...$page];
}
sort($found);
sort($keys);
var_dump($found === $keys);
lab_tell(static fn () => $redis->rawCommand('WAIT', 1, 100));

echo "transactions\n";
var_dump($redis->multi()->set('{t}a', 1)->incr('{t}a')->get('{t}a')->exec());
lab_tell(static fn () => $redis->multi()->set('{t}a', 7)->set('{u}a', 1));
lab_tell(static fn () => $redis->exec());
$redis->pipeline()->append('{t}a', 'b')->multi()->set('{t}a', 7);
lab_tell(static fn () => $redis->del('{u}a'));
lab_tell(static fn () => $redis->exec());
echo json_encode($redis->append('{t}a', 'c')->exec()), "\n";
$redis->set('{t}a', 2);
lab_tell(static fn () => $redis->multi()->mGet(['{t}a', '{u}a']));
$redis->discard();
var_dump($redis->pipeline()->set('{t}a', 3)->multi()->incr('{t}a')->incr('{t}a')->exec()->get('{t}a')->exec());
var_dump($redis->watch('{t}a'), $redis->multi()->incr('{t}a')->exec());

?>
--EXPECT--
one key
0 wrong, 0 redirects, 1 questions, 1000 keys
bool(false)
int(1)
array(1) {
  ["name"]=>
  string(3) "Ada"
}
several slots
bool(true)
array(3) {
  [0]=>
  string(7) "value:1"
  [1]=>
  bool(false)
  [2]=>
  string(7) "value:1"
}
bool(true)
int(1000)
int(1000)
array(3) {
  [0]=>
  string(7) "value:1"
  [1]=>
  string(7) "value:2"
  [2]=>
  bool(false)
}
array(2) {
  [0]=>
  array(3) {
    [0]=>
    string(7) "value:5"
    [1]=>
    string(7) "value:6"
    [2]=>
    string(7) "value:7"
  }
  [1]=>
  string(7) "value:8"
}
array(3) {
  [0]=>
  string(7) "value:1"
  [1]=>
  string(7) "value:2"
  [2]=>
  string(7) "value:3"
}
one slot
OneHop\CrossNode, node none, may have executed: false
  SINTER needs all its keys in one slot: key "a" is in slot 15495, key "b" in slot 3300, server pool alpha: the command was not sent; give both keys one hash tag, such as "{a}" and "{a}b"
OneHop\CrossNode, node none, may have executed: false
  RENAME needs all its keys in one slot: key "a" is in slot 15495, key "b" in slot 3300, server pool alpha: the command was not sent; give both keys one hash tag, such as "{a}" and "{a}b"
OneHop\CrossNode, node none, may have executed: false
  SINTER needs all its keys in one slot: key "a" is in slot 15495, key "b" in slot 3300, server pool alpha: the command was not sent; give both keys one hash tag, such as "{a}" and "{a}b"
int(2)
int(2)
array(1) {
  [0]=>
  string(1) "y"
}
all masters
int(1000)
int(3)
bool(true)
bool(true)
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with WAIT is not supported: the command was not sent; it would answer for the writes of one connection of a Redis Cluster, which is seldom the one that carried yours
transactions
array(3) {
  [0]=>
  bool(true)
  [1]=>
  int(2)
  [2]=>
  string(1) "2"
}
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to slot 15891 by key "{t}a", but key "{u}a" lives in slot 11826, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a slot
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because a call of it was refused: The transaction is bound to slot 15891 by key "{t}a", but key "{u}a" lives in slot 11826, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a slot
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to slot 15891 by key "{t}a", but key "{u}a" lives in slot 11826, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a slot
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because a call of it was refused: The transaction is bound to slot 15891 by key "{t}a", but key "{u}a" lives in slot 11826, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a slot
[2,3]
OneHop\CrossNode, node none, may have executed: false
  MGET needs all its keys in one slot, being in a transaction: key "{t}a" is in slot 15891, key "{u}a" in slot 11826, server pool alpha: the command was not sent; give both keys one hash tag, such as "{t}a" and "{t}{u}a"
array(3) {
  [0]=>
  bool(true)
  [1]=>
  array(2) {
    [0]=>
    int(4)
    [1]=>
    int(5)
  }
  [2]=>
  string(1) "5"
}
bool(true)
array(1) {
  [0]=>
  int(6)
}
