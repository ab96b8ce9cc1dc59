--TEST--
A transaction runs on the node of its first key with phpredis' replies; another node's key ends it
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports, ['hash_tag' => '"{}"']);
$redis = new OneHop\Redis('alpha', $config);
$plain = lab_plain(lab_redis());

/** What each step and exec() return; "itself" stands for the client. */
function walk(Redis $redis): array
{
    $told = [];
    $tell = function ($value) use (&$told, $redis) {
        $told[] = $value === $redis ? 'itself' : $value;
    };
    $tell($redis->getMode());
    $tell($redis->multi());
    $tell($redis->multi());
    $tell($redis->getMode());
    $tell($redis->set('{t}a', 'one'));
    $tell($redis->incr('{t}n'));
    $tell($redis->get('{t}a'));
    $tell($redis->mset(['{t}b' => 'two', '{t}c' => 'three']));
    $tell($redis->mget(['{t}a', '{t}missing', '{t}c']));
    $tell($redis->hMSet('{t}h', ['x' => 1, 'y' => 2]));
    $tell($redis->hGetAll('{t}h'));
    $tell($redis->zAdd('{t}z', 1.5, 'm'));
    $tell($redis->zRange('{t}z', 0, -1, true));
    $tell($redis->lPush('{t}a', 'wrong type'));
    $tell($redis->lRange('{t}l', 0, -1));
    $tell($redis->del('{t}b', '{t}c'));
    $tell($redis->getMode());
    $tell($redis->exec());
    $tell($redis->getMode());
    $tell($redis->multi()->get('{t}a')->discard());
    $tell($redis->discard());
    $tell($redis->get('{t}n'));
    $tell($redis->multi()->exec());
    $tell($redis->multi()->discard());
    return $told;
}
lab_show('each step answers as with phpredis', walk($redis) === walk($plain));
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$plain->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$redis->del('{t}n', '{t}a');
$plain->del('{t}n', '{t}a');
$ours = $redis->multi()->set('{t}o', ['a' => [1, 2]])->get('{t}o')->exec();
lab_show('with a serializer, too', $ours === $plain->multi()->set('{t}o', [
    'a' => [1, 2],
])->get('{t}o')->exec());
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);

echo "another node\n";
$keys = array_values(lab_key_of_each($config));
foreach ([
    fn () => $redis->set($keys[1], 'second'),
    fn () => $redis->mget([$keys[0], $keys[2]]),
    fn () => $redis->mget([$keys[2], $keys[3]]),
    fn () => $redis->watch($keys[0]),
    fn () => $redis->pipeline(),
    fn () => $redis->multi(Redis::PIPELINE),
] as $call) {
    $redis->multi()->set($keys[0], 'first');
    lab_tell($call);
    lab_show('  discarded', $redis->discard());
    lab_show('  mode', $redis->getMode());
    lab_show('  the first key', $redis->get($keys[0]));
}
$redis->set($keys[0], 'first');
$redis->pipeline();
lab_tell(fn () => $redis->watch($keys[0]));
lab_tell(fn () => $redis->unwatch());
lab_show('the pipeline', $redis->get($keys[0])->exec());

echo "what the node refuses\n";
$redis->multi();
lab_show('SET without a value', $redis->rawCommand('SET', $keys[0]));
lab_show('error of the node', trim($redis->getLastError()));
lab_show('the next call is queued', $redis->get($keys[0]) === $redis);
lab_tell(fn () => $redis->exec());
lab_show('mode', $redis->getMode());
lab_show('the first key', $redis->get($keys[0]));

echo "nodes with at most 3 connections: ", implode(' ', array_map(
    fn ($port) => (int) lab_plain($port)->info('clients')['connected_clients'] <= 3,
    $ports,
)), "\n";
foreach ($ports as $port) {
    $stats = lab_plain($port)->info('commandstats');
    $multi[] = (int) preg_replace('/calls=(\d+).*/', '$1', $stats['cmdstat_multi'] ?? 'calls=0');
}
sort($multi);
lab_show('MULTI that each node received', $multi);
?>
--EXPECT--
each step answers as with phpredis: true
with a serializer, too: true
another node
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to node node-3 by key "key:0", but key "key:10" belongs to node node-2, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
  discarded: true
  mode: 0
  the first key: false
OneHop\CrossNode, node none, may have executed: false
  MGET needs all its keys on one node in a transaction: key "key:0" is on node node-3, key "key:120" on node node-1, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{key:0}" and "{key:0}key:120"
  discarded: true
  mode: 0
  the first key: false
OneHop\CrossNode, node none, may have executed: false
  MGET needs all its keys on one node in a transaction: key "key:120" is on node node-1, key "key:500" on node node-0, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{key:120}" and "{key:120}key:500"
  discarded: true
  mode: 0
  the first key: false
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::watch() cannot be used in a transaction: the command was not sent; call it before multi()
  discarded: true
  mode: 0
  the first key: false
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::pipeline() cannot be used in a transaction: the command was not sent; call exec() or discard() first
  discarded: true
  mode: 0
  the first key: false
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::multi() cannot be used in a transaction: the command was not sent; call exec() or discard() first
  discarded: true
  mode: 0
  the first key: false
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::watch() cannot be used in a pipeline: the command was not sent; call exec() or discard() first
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::unwatch() cannot be used in a pipeline: the command was not sent; call exec() or discard() first
the pipeline: ["first"]
what the node refuses
SET without a value: false
error of the node: "ERR wrong number of arguments for 'set' command"
the next call is queued: true
RedisException: EXECABORT Transaction discarded because of previous errors.
mode: 0
the first key: "first"
nodes with at most 3 connections: 1 1 1 1
MULTI that each node received: [0,0,0,10]
