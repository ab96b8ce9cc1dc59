--TEST--
A read behind a refused write sees the write; a write that another one overtook is not sent again
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

$lab = new LabSentinels();
$redis = new OneHop\Redis('alpha', $lab->config(['timeout' => 30000]));
$redis->set('key', 'before');
$old = lab_plain($lab->ports[0]);
$old->config('SET', 'min-replicas-to-write', '2');
Lab::until(
    fn () => $lab->ask(array_key_last($lab->sentinels), 'FAILOVER', 'node-0') === true,
    'failover',
);
lab_show('a batch', $redis->pipeline()->get('key')->set('key', 'after')->get('key')->exec());

/* A master that refuses its first write and executes the second one. */
$port = lab_node('
    for words in commands():
        if words[0] == "ROLE":
            reply("*3", "$6", "master", ":0", "*0")
        elif words[0] == "SET":
            reply("-NOREPLICAS Not enough good replicas" if first("write") else "+OK")
        else:
            reply("+PONG")');
$redis = new OneHop\Redis('alpha', lab_config([$port], [
    'listen' => null, 'redis' => null, 'engine' => 'redis', 'timeout' => 5000,
    'sentinels' => "\n   - 127.0.0.1:1",
]));
try {
    lab_show('overtaken', $redis->pipeline()->set('key', '1')->set('key', '2')->exec());
} catch (RedisException $refusal) {
    lab_show('overtaken', $refusal->getMessage());
}
?>
--EXPECT--
a batch: ["before",true,"after"]
overtaken: "NOREPLICAS Not enough good replicas"
