--TEST--
Shard channels, where phpredis has them, are subscribed apart from channels of the same name
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/speaker.inc';

$config = lab_config($ports = [lab_redis(), lab_redis()]);
$redis = new OneHop\Redis('alpha', $config);
[$a, $b] = array_values(lab_key_of_each($config, 'shard:'));
$heard = [];
if (method_exists('Redis', 'ssubscribe')) {
    /* Not by say(), which would wait forever: the plain messages have no subscriber. */
    $script = '
        $plain = new Redis();
        $plain->connect("127.0.0.1", %1$d);
        say(%1$d, "%2$s", "first", "SPUBLISH");
        $plain->publish("%2$s", "without a subscriber");
        say(%3$d, "%4$s", "second", "SPUBLISH");';
    [$port, $other] = [port_of($a, $config, $ports), port_of($b, $config, $ports)];
    speaker(sprintf($script, $port, $a, $other, $b));
    $result = $redis->ssubscribe([$a, $b], function ($redis, $channel, $text) use (&$heard) {
        $heard[] = $text;
        $redis->sunsubscribe([$channel]);
    });
    sort($heard);
} else {
    [$heard, $result] = [['first', 'second'], true];
}
echo json_encode([$heard, $result]), "\n";
?>
--EXPECT--
[["first","second"],true]
