--TEST--
The answers of a handshake may be longer than what is read of them in one step
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';
require __DIR__ . '/../lab/sentinel.inc';

/* A master whose replicas have host names. OneHop reads 512 bytes of its answer in a step. */
lab_certificate('node');
$node = lab_node('
    $list = fn (array $words) => "*" . count($words) . "\r\n"
        . implode(array_map(fn ($word) => "\$" . strlen($word) . "\r\n$word\r\n", $words));
    $replica = $list(["redis-replica.cache.example", "6379", "3129242"]);
    while ($words = $node->command()) {
        match (strtoupper($words[0])) {
            "ROLE" => $node->send("*3\r\n\$6\r\nmaster\r\n:3129659\r\n*30\r\n"
                . str_repeat($replica, 30)),
            "SUBSCRIBE" => $node->send("*3\r\n\$9\r\nsubscribe\r\n\$4\r\nnews\r\n:1\r\n"
                . "*3\r\n\$7\r\nmessage\r\n\$4\r\nnews\r\n\$5\r\nhello\r\n"),
            "UNSUBSCRIBE" => $node->send("*3\r\n\$11\r\nunsubscribe\r\n\$4\r\nnews\r\n:0\r\n"),
            default => $node->value("v"),
        };
    }');
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
