--TEST--
Bytes that are no reply end in ProtocolViolation, quickly and without large allocations
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/* PHP expressions for what the node sends. */
$streams = [
    '"hello\r\n"', '"$-2\r\n"', '"$3\r\nabcXX"', '"$3\nabc\r\n"', '"*-5\r\n"',
    '"$99999999999999999999\r\n"', '"$2147483647\r\n"', '"*2147483647\r\n"',
    'str_repeat("*1\r\n", 200000)', '"\0\0\0\0"', '"+" . str_repeat("x", 200000)',
    '"HTTP/1.1 400 Bad Request\r\n\r\n"',
];
foreach ($streams as $stream) {
    $port = lab_node('$node->command(); $node->send(' . $stream . '); sleep(1);');
    $redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 odd"], ['timeout' => 5000]));
    try {
        var_dump($redis->get('key'));
    } catch (OneHop\Exception $e) {
        echo $e->getKind(), ' ', var_export($e->mayHaveExecuted(), true), "\n";
    }
}
?>
--EXPECT--
ProtocolViolation true
ProtocolViolation true
ProtocolViolation true
ProtocolViolation true
ProtocolViolation true
ProtocolViolation true
ProtocolViolation true
ProtocolViolation true
ProtocolViolation true
ProtocolViolation true
ProtocolViolation true
ProtocolViolation true
