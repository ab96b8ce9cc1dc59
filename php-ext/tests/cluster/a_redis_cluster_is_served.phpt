--TEST--
A command goes to the slot of its key, is split by slots, or goes to the masters
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
printf(
    "%d wrong, %d redirects, %d questions, %d keys\n",
    $wrong,
    $cluster->errors('MOVED'),
    $cluster->questions(),
    $redis->dbSize(),
);
lab_show('GET of an unset key', $redis->get('nobody'));
lab_show('HSET', $redis->hSet('{user:1}:h', 'name', 'Ada'));
lab_show('HGETALL', $redis->hGetAll('{user:1}:h'));

echo "several slots\n";
$keys = array_map(static fn ($i) => "key:$i", range(0, 999));
$values = array_map(static fn ($i) => "value:$i", range(0, 999));
$more = array_map(static fn ($key) => "more:$key", $keys);
lab_show('MGET of 1,000 keys gives their values', $redis->mGet($keys) === $values);
lab_show('MGET of a key twice', $redis->mGet(['key:1', 'nobody', 'key:1']));
lab_show('MSET of 1,000 keys', $redis->mSet(array_combine($more, $values)));
lab_show('EXISTS', $redis->exists($more));
lab_show('DEL', $redis->del($more));
lab_show('MGET by rawCommand()', $redis->rawCommand('MGET', 'key:1', 'key:2', 'nobody'));
lab_show(
    'MGET and GET in a pipeline',
    $redis->pipeline()->mGet(['key:5', 'key:6', 'key:7'])->get('key:8')->exec(),
);
$redis->setOption(Redis::OPT_PREFIX, 'key:');
lab_show('MGET with a prefix', $redis->mGet(['1', '2', '3']));
$redis->setOption(Redis::OPT_PREFIX, '');

echo "one slot\n";
lab_tell(static fn () => $redis->sInter('a', 'b'));
lab_tell(static fn () => $redis->rename('a', 'b'));
lab_tell(static fn () => $redis->rawCommand('SINTER', 'a', 'b'));
lab_tell(static fn () => $redis->xRead(['a' => '$', 'b' => '$'], 1, 100));
lab_show('SADD', $redis->sAdd('{s}1', 'x', 'y'));
lab_show('SADD', $redis->sAdd('{s}2', 'y', 'z'));
lab_show('SINTER of keys with one tag', $redis->sInter('{s}1', '{s}2'));

echo "all masters\n";
lab_show('KEYS', count($redis->keys('key:*')));
lab_show('nodes that onEachNode() calls', count($redis->onEachNode('ping')));
lab_show('PING', $redis->ping());
$found = [];
for ($cursor = null; ($page = $redis->scan($cursor, 'key:*')) !== false;) {
    $found = [...$found, ...$page];
}
sort($found);
sort($keys);
lab_show('SCAN finds each key once', $found === $keys);
lab_tell(static fn () => $redis->rawCommand('WAIT', 1, 100));

echo "transactions\n";
lab_show('of one slot', $redis->multi()->set('{t}a', 1)->incr('{t}a')->get('{t}a')->exec());
lab_tell(static fn () => $redis->multi()->set('{t}a', 7)->set('{u}a', 1));
lab_tell(static fn () => $redis->exec());
$redis->pipeline()->append('{t}a', 'b')->multi()->set('{t}a', 7);
lab_tell(static fn () => $redis->del('{u}a'));
lab_tell(static fn () => $redis->exec());
lab_show('the rest of the pipeline', $redis->append('{t}a', 'c')->exec());
$redis->set('{t}a', 2);
lab_tell(static fn () => $redis->multi()->mGet(['{t}a', '{u}a']));
$redis->discard();
lab_show(
    'in a pipeline',
    $redis->pipeline()->set('{t}a', 3)->multi()->incr('{t}a')->incr('{t}a')->exec()->get('{t}a')
        ->exec(),
);
lab_show('WATCH', $redis->watch('{t}a'));
lab_show('and a transaction', $redis->multi()->incr('{t}a')->exec());

echo "without the directive `cluster` the failure names that directive\n";
$port = $cluster->ports[0];
$config = Lab::file('plain.yml');
file_put_contents(
    $config,
    "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  servers:\n  - 127.0.0.1:$port:1 one\n",
);
$redis = new OneHop\Redis('alpha', $config);

$moved = $kept = null;
for ($i = 0; !$moved || !$kept; $i++) {
    $at_home = OneHop\Topology::slot("key:$i") < 16384 / 3 - 100;
    if ($at_home) {
        $kept ??= "key:$i";
    } elseif (OneHop\Topology::slot("key:$i") > 16384 / 3 + 100) {
        $moved ??= "key:$i";
    }
}
$tell = static function (callable $call) {
    ob_start();
    lab_tell($call);
    echo preg_replace('/MOVED \d+/', 'MOVED N', ob_get_clean());
};
lab_show('a slot of this node', $redis->set($kept, 'value'));
$tell(static fn () => $redis->set($moved, 'value'));
$tell(static fn () => $redis->pipeline()->get($kept)->get($moved)->exec());
$tell(static fn () => $redis->hGet($moved, 'field'));
lab_show('the next call', $redis->get($kept));
lab_show('and pipeline', $redis->pipeline()->get($kept)->exec());
?>
--EXPECT--
one key
0 wrong, 0 redirects, 1 questions, 1000 keys
GET of an unset key: false
HSET: 1
HGETALL: {"name":"Ada"}
several slots
MGET of 1,000 keys gives their values: true
MGET of a key twice: ["value:1",false,"value:1"]
MSET of 1,000 keys: true
EXISTS: 1000
DEL: 1000
MGET by rawCommand(): ["value:1","value:2",false]
MGET and GET in a pipeline: [["value:5","value:6","value:7"],"value:8"]
MGET with a prefix: ["value:1","value:2","value:3"]
one slot
OneHop\CrossNode, node none, may have executed: false
  SINTER needs all its keys in one slot: key "a" is in slot 15495, key "b" in slot 3300, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{a}" and "{a}b"
OneHop\CrossNode, node none, may have executed: false
  RENAME needs all its keys in one slot: key "a" is in slot 15495, key "b" in slot 3300, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{a}" and "{a}b"
OneHop\CrossNode, node none, may have executed: false
  SINTER needs all its keys in one slot: key "a" is in slot 15495, key "b" in slot 3300, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{a}" and "{a}b"
OneHop\CrossNode, node none, may have executed: false
  XREAD needs all its keys in one slot: key "a" is in slot 15495, key "b" in slot 3300, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{a}" and "{a}b"
SADD: 2
SADD: 2
SINTER of keys with one tag: ["y"]
all masters
KEYS: 1000
nodes that onEachNode() calls: 3
PING: true
SCAN finds each key once: true
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with WAIT is not supported: the command was not sent; it reports on the writes of one connection, and yours were probably sent on another
transactions
of one slot: [true,2,"2"]
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to slot 15891 by key "{t}a", but key "{u}a" belongs to slot 11826, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a slot
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: The transaction is bound to slot 15891 by key "{t}a", but key "{u}a" belongs to slot 11826, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a slot
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to slot 15891 by key "{t}a", but key "{u}a" belongs to slot 11826, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a slot
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: The transaction is bound to slot 15891 by key "{t}a", but key "{u}a" belongs to slot 11826, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a slot
the rest of the pipeline: [2,3]
OneHop\CrossNode, node none, may have executed: false
  MGET needs all its keys in one slot in a transaction: key "{t}a" is in slot 15891, key "{u}a" in slot 11826, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{t}a" and "{t}{u}a"
in a pipeline: [true,[4,5],"5"]
WATCH: true
and a transaction: [6]
without the directive `cluster` the failure names that directive
a slot of this node: true
OneHop\ConfigInvalid, node one, may have executed: true
  The node belongs to a Redis Cluster: it answered MOVED N 127.0.0.1:PORT, node one (127.0.0.1:PORT), server pool alpha: the command was answered; set "cluster: true" in the server pool
OneHop\ConfigInvalid, node one, may have executed: true
  The node belongs to a Redis Cluster: it answered MOVED N 127.0.0.1:PORT, node one (127.0.0.1:PORT), server pool alpha: the command was answered; set "cluster: true" in the server pool
OneHop\ConfigInvalid, node one, may have executed: true
  The node belongs to a Redis Cluster: it answered MOVED N 127.0.0.1:PORT, node one (127.0.0.1:PORT), server pool alpha: the command was answered; set "cluster: true" in the server pool
the next call: "value"
and pipeline: ["value"]
