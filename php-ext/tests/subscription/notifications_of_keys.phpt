--TEST--
Notifications of keys arrive from every node, once each
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/speaker.inc';

$ports = array_map(fn () => lab_redis('--notify-keyspace-events', 'KEx'), range(0, 2));
$config = lab_config($ports);
/* Ten keys of each node expire as soon as it has a subscriber. */
$expire = function (string $command, string ...$of) use ($ports, $config): void {
    $script = '';
    foreach ($ports as $node => $port) {
        $topology = new OneHop\Topology('alpha', $config);
        $keys = array_filter(
            array_map(md5(...), array_map(strval(...), range(0, 200))),
            fn ($key) => $topology->locate($key)->name === "node-$node",
        );
        $script .= sprintf(
            '$redis = new Redis();
            $redis->connect("127.0.0.1", %d);
            while (in_array($redis->rawCommand(...%s), [0, ["%s", 0]], true)) {
                usleep(2000);
            }
            foreach (%s as $key) {
                $redis->psetex($key, 1, "value");
            }',
            $port,
            var_export(['PUBSUB', $command, ...$of], true),
            $of[0] ?? '',
            var_export(array_slice($keys, 0, 10), true),
        );
    }
    speaker($script);
};
$redis = new OneHop\Redis('alpha', $config);

echo "by a channel:\n";
$expire('NUMSUB', $channel = '__keyevent@0__:expired');
$heard = [];
$redis->subscribe([$channel], function ($redis, $channel, $key) use (&$heard) {
    $heard[] = $key;
    if (count($heard) === 30) {
        $redis->unsubscribe([$channel]);
    }
});
printf("%d keys, %d of them different\n", count($heard), count(array_unique($heard)));

echo "by a pattern:\n";
$expire('NUMPAT');
$heard = [];
$redis->psubscribe(['__key*'], function ($redis, $pattern, $channel, $text) use (&$heard) {
    $heard[] = "$channel $text";
    if (count($heard) === 60) {
        $redis->punsubscribe([$pattern]);
    }
});
printf("%d of 2 for each key, %d of them different\n", count($heard), count(array_unique($heard)));
?>
--EXPECT--
by a channel:
30 keys, 30 of them different
by a pattern:
60 of 2 for each key, 60 of them different
