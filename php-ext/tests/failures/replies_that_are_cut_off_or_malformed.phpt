--TEST--
No part of a reply surfaces that is cut off or malformed
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

echo "-- the connection ends in the middle\n";
$reply = "*2\r\n$5\r\nhello\r\n$2\r\n12\r\n";
$port = lab_node('
    size = int(command()[1])
    send(test.reply[:size])
    if size % 2:
        reset()', ['reply' => $reply]);
$redis = new OneHop\Redis(
    'alpha',
    lab_config(["127.0.0.1:$port:1 odd"], ['timeout' => 2000, 'server_failure_limit' => 1000]),
);
$seen = [];
for ($i = 0; $i < strlen($reply); $i++) {
    try {
        $seen[] = json_encode($redis->lRange("$i", 0, -1));
    } catch (OneHop\Exception $e) {
        $seen[] = $e->getKind() . ' ' . var_export($e->mayHaveExecuted(), true);
    }
}
print_r(array_count_values($seen));
lab_tell(fn () => $redis->lRange(strlen($reply) + 1 & ~1, 0, -1));

echo "-- bytes that are not a reply, quickly and without large allocations\n";
$streams = [
    "hello\r\n", "$-2\r\n", "$3\r\nabcXX", "$3\nabc\r\n", "*-5\r\n", "$99999999999999999999\r\n",
    "$2147483647\r\n", "*2147483647\r\n", str_repeat("*1\r\n", 200000), "\0\0\0\0",
    '+' . str_repeat('x', 200000), "HTTP/1.1 400 Bad Request\r\n\r\n",
];
foreach ($streams as $stream) {
    $port = lab_node('command(); send(test.stream); time.sleep(1)', ['stream' => $stream]);
    $redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 odd"], ['timeout' => 5000]));
    try {
        var_dump($redis->get('key'));
    } catch (OneHop\Exception $e) {
        echo $e->getKind(), ' ', var_export($e->mayHaveExecuted(), true), "\n";
    }
}
?>
--EXPECT--
-- the connection ends in the middle
Array
(
    [NodeDown true] => 23
)
value: ["hello","12"]
-- bytes that are not a reply, quickly and without large allocations
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
