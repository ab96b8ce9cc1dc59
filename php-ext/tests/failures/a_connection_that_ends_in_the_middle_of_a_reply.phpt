--TEST--
A connection that ends at any byte of a reply is NodeDown, and no part of the value surfaces
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$reply = "*2\r\n$5\r\nhello\r\n$2\r\n12\r\n";
$port = lab_node(
    '$words = $node->command(); $node->send(substr(base64_decode("' . base64_encode($reply)
        . '"), 0, (int) $words[1])); if ((int) $words[1] % 2) $node->reset();',
);
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
?>
--EXPECT--
Array
(
    [NodeDown true] => 23
)
value: ["hello","12"]
