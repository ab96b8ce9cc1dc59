--TEST--
Over TLS: a Redis Cluster, SSDB and long answers behind a TLS terminator, and keys that move
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';
require __DIR__ . '/../lab/sentinel.inc';

echo "a Redis Cluster, at the ports for TLS that it announces\n";
$ports = lab_tls_cluster();
$redis = new OneHop\Redis('alpha', lab_tls_config(
    ["127.0.0.1:$ports[0]"],
    ['cluster' => 'true', 'listen' => null, 'redis' => null],
));
$keys = array_map(fn ($i) => "key:$i", range(0, 299));
foreach ($keys as $i => $key) {
    $redis->set($key, "value $i");
}
$values = array_map(fn ($i) => "value $i", range(0, 299));
lab_show('mget', $redis->mGet($keys) === $values);
$redis->pipeline();
array_map($redis->get(...), $keys);
lab_show('a batch', $redis->exec() === $values);
lab_show('keys', array_sum($redis->onEachNode('DBSIZE')));

echo "SSDB behind a TLS terminator\n";
lab_certificate('node');
$ssdb = lab_node('
    for words in commands():
        send(listed(["1.9.8"]) if words[0] == "VERSION" else bulk("v"))');
$relay = new LabRelay($ssdb, 'node');
$redis = new OneHop\Redis('alpha', lab_tls_config([$relay->port], ['engine' => 'ssdb']));
lab_show('GET', $redis->get('key'));

echo "a handshake with an answer that is longer than what is read in one step\n";
/* A master whose replicas have host names. OneHop reads 512 bytes of the answer in a step. */
$node = lab_node('
    replica = listed(["redis-replica.cache.example", "6379", "3129242"])
    for words in commands():
        if words[0] == "ROLE":
            send(listed(["master", b":3129659\r\n", listed([replica] * 30)]))
        elif words[0].upper() == "SUBSCRIBE":
            send(listed(["subscribe", "news", b":1\r\n"]), listed(["message", "news", "hello"]))
        elif words[0].upper() == "UNSUBSCRIBE":
            send(listed(["unsubscribe", "news", b":0\r\n"]))
        else:
            value("v")');
$relay = new LabRelay($node, 'node');
$sentinels = new LabFakeSentinels();
$sentinels->sayAll($relay->port, 1);
$redis = new OneHop\Redis('alpha', $sentinels->config($relay->port, [
    'tls' => 'true', 'tls_ca_cert_file' => lab_pem('ca'), 'sentinel_tls' => 'false',
]));

lab_show('GET', $redis->get('key'));
lab_show('a pipeline', $redis->pipeline()->get('key')->get('other')->exec());
lab_show('SUBSCRIBE', $redis->subscribe(['news'], function ($redis, $channel, $message) {
    lab_show('a message', $message);
    $redis->unsubscribe(['news']);
}));

/*
 * Keys move by MIGRATE if the servers speak TLS to each other, and otherwise by DUMP and RESTORE.
 */
foreach (['yes', 'no'] as $between) {
    echo "keys move, TLS between the servers: $between\n";
    $servers = [];
    foreach (['old', 'owner'] as $name) {
        $servers[$name] = lab_tls_redis('node', '--tls-cluster', $between);
    }
    [[$from, $plain], [$to, $own]] = array_values($servers);
    $old = new OneHop\Redis('alpha', lab_tls_config([$from]));
    $old->setex('key', 1000, '41');
    $old->set('read', 'there');
    $ours = new OneHop\Redis('alpha', lab_tls_config([$to], [
        'moving_from' => "[\"127.0.0.1:$from:1 node-old\"]",
    ]));
    lab_show('read', $ours->get('read'));
    lab_show('brought', [$ours->incr('key'), $ours->ttl('key') > 900]);
    lab_show('moved', [lab_plain($plain)->exists('key'), lab_plain($own)->exists('key')]);
    $counts = lab_plain($plain)->info('commandstats');
    preg_match('/calls=(\d+).*failed_calls=(\d+)/', $counts['cmdstat_migrate'] ?? '', $calls);
    lab_show('MIGRATE, and how often it failed', array_slice($calls, 1));
}
?>
--EXPECT--
a Redis Cluster, at the ports for TLS that it announces
mget: true
a batch: true
keys: 300
SSDB behind a TLS terminator
GET: "v"
a handshake with an answer that is longer than what is read in one step
GET: "v"
a pipeline: ["v","v"]
a message: "hello"
SUBSCRIBE: true
keys move, TLS between the servers: yes
read: "there"
brought: [42,true]
moved: [0,1]
MIGRATE, and how often it failed: ["1","0"]
keys move, TLS between the servers: no
read: "there"
brought: [42,true]
moved: [0,1]
MIGRATE, and how often it failed: ["1","1"]
