--TEST--
The answers of a handshake may be longer than what is read of them in one step
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';
require __DIR__ . '/../lab/sentinel.inc';

/* A master whose replicas have host names. OneHop reads 512 bytes of its answer in a step. */
lab_certificate('node');
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
    'timeout' => 20000, 'tls' => 'true', 'tls_ca_cert_file' => lab_pem('ca'),
    'sentinel_tls' => 'false',
]));

lab_tell(fn () => $redis->get('key'));
lab_tell(fn () => $redis->pipeline()->get('key')->get('other')->exec() === ['v', 'v']);
lab_tell(fn () => $redis->subscribe(['news'], function ($redis, $channel, $message) {
    lab_show('a message', $message);
    $redis->unsubscribe(['news']);
}));
?>
--EXPECT--
value: "v"
value: true
a message: "hello"
value: true
