--TEST--
Sentinels exchange a master and its replica: no call notices, and batches keep their order
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

$lab = new LabSentinels(2);
$config = $lab->config(['timeout' => 30000]);
$redis = new OneHop\Redis('alpha', $config);
['node-0' => $key, 'node-1' => $other] = lab_key_of_each($config);
lab_show('a write', $redis->set($key, 'before'));

$old = $lab->ports[0];
$new = $lab->failOver();
/* Until then the old master takes writes that the new one never gets. */
Lab::until(fn () => LabSentinels::isReplica($old), 'replica at the old address');
lab_show('another address', $new !== $old);
lab_show('a read', $redis->get($key));
lab_show('writes', [$redis->set($key, 'after'), $redis->set($other, 'other')]);
lab_show('at the new master', lab_plain($new)->get($key));
$nodes = OneHop\Topology::status()[0]['nodes'];
lab_show('the status has its address', [$nodes[0]['address'] === "127.0.0.1:$new", count($nodes)]);

/* The client of another pool finds the new address at once, whatever the file says. */
lab_show('a new client', (new OneHop\Redis('alpha', $config))->get($key));

/* Back again: the old address returns, but none of its earlier connections. */
[$old, $new] = [$new, $lab->failOver()];
Lab::until(
    fn () => $redis->get($key) === 'after' && LabSentinels::isReplica($old),
    'replica at the old address',
);
lab_show('back', [$new === $lab->ports[0], $redis->set($key, 'back'), lab_plain($new)->get($key)]);
lab_show('a batch', $redis->pipeline()->set($key, '1')->incr($key)->get($other)->exec());

/* A read behind a refused write sees the write. */
lab_plain($lab->ports[1])->config('SET', 'min-replicas-to-write', '2');
Lab::until(
    fn () => $lab->ask(array_key_last($lab->sentinels), 'FAILOVER', 'node-1') === true,
    'failover',
);
lab_show('a refused write', $redis->pipeline()->get($other)->set($other, 'x')->get($other)->exec());

/*
 * A master refuses its first write and executes the second one. The second one has overtaken the
 * first one, so the first one is not sent again.
 */
$port = lab_node('
    for words in commands():
        if words[0] == "ROLE":
            reply("*3", "$6", "master", ":0", "*0")
        elif words[0] == "SET":
            reply("-NOREPLICAS Not enough good replicas" if first("write") else "+OK")
        else:
            reply("+PONG")');
$redis = new OneHop\Redis('alpha', lab_config([$port], [
    'listen' => null, 'redis' => null, 'engine' => 'redis',
    'sentinels' => "\n   - 127.0.0.1:1",
]));
try {
    lab_show('overtaken', $redis->pipeline()->set('key', '1')->set('key', '2')->exec());
} catch (RedisException $refusal) {
    lab_show('overtaken', $refusal->getMessage());
}
?>
--EXPECT--
a write: true
another address: true
a read: "before"
writes: [true,true]
at the new master: "after"
the status has its address: [true,2]
a new client: "after"
back: [true,true,"back"]
a batch: [true,2,"other"]
a refused write: ["other",true,"x"]
overtaken: "NOREPLICAS Not enough good replicas"
