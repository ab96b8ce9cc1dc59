--TEST--
Notifications of keys arrive once each from every node of a server pool or a Redis Cluster
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';
require __DIR__ . '/../lab/processes.inc';

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
printf(
    "%d messages, 2 for each key, %d of them different\n",
    count($heard),
    count(array_unique($heard)),
);

$cluster = new LabCluster(3, 0, '--notify-keyspace-events', 'KEx');
$redis = new OneHop\Redis('alpha', $config = $cluster->config());
$redis->set('key', 'value'); /* The map is known. */
$connect = fn (int $port) => sprintf(
    '$redis = new Redis(); $redis->connect("127.0.0.1", %d);',
    $port,
);
/*
 * Once every master has the subscriber, ten keys of each expire, and then messages are published.
 */
$expire = function (string $condition) use ($cluster, $connect): string {
    $script = '';
    foreach ($cluster->ports as $port) {
        $script .= $connect($port) . " while (!($condition)) { usleep(2000); }";
    }
    foreach ($cluster->ports as $master => $port) {
        $tag = lab_key_in($master * 6000);
        $script .= $connect($port)
            . "for (\$i = 0; \$i < 10; \$i++) { \$redis->psetex('$tag' . \$i, 1, 'value'); }";
    }
    return $script;
};
$publish = $connect($cluster->ports[1])
    . 'usleep(300000); $redis->publish("news", "hello"); $redis->publish("news", "last");';

echo "in a cluster by a channel, beside an ordinary one:\n";
$event = '__keyevent@0__:expired';
speaker($expire("\$redis->rawCommand('PUBSUB', 'NUMSUB', '$event')[1] > 0") . $publish);
$heard = [];
$redis->subscribe([$event, 'news'], function ($redis, $channel, $text) use (&$heard, $event) {
    $heard[] = $text;
    if (count($heard) === 32) {
        $redis->unsubscribe([$event, 'news']);
    }
});
printf("%d messages, %d of them different\n", count($heard), count(array_unique($heard)));

echo "in a cluster by a pattern that matches everything:\n";
speaker($expire('$redis->rawCommand("PUBSUB", "NUMPAT") > 0') . $publish);
$heard = [];
$redis->psubscribe(['*'], function ($redis, $pattern, $channel, $text) use (&$heard) {
    $heard[] = "$channel $text";
    if (count($heard) === 62) {
        $redis->punsubscribe(['*']);
    }
});
printf("%d messages, %d of them different\n", count($heard), count(array_unique($heard)));

echo "another master ends the subscription, because that master notifies, too:\n";
$new = $cluster->join();
if (($child = pcntl_fork()) === 0) {
    $asks = ['PUBSUB', 'NUMSUB', $event];
    Lab::until(fn () => lab_plain($cluster->ports[2])->rawCommand(...$asks)[1], 'listener');
    $cluster->move(99, $cluster->ports[0], $new);
    /* This write is redirected, so this process asks for the map, which its parent shares. */
    (new OneHop\Redis('alpha', $config))->set(lab_key_in(99), 'value');
    posix_kill(getmypid(), SIGKILL);
}
try {
    $redis->subscribe([$event, 'news'], fn () => null);
} catch (OneHop\NodeDown $over) {
    echo $over->getMessage(), "\n";
}
pcntl_waitpid($child, $status);
?>
--EXPECT--
by a channel:
30 keys, 30 of them different
by a pattern:
60 messages, 2 for each key, 60 of them different
in a cluster by a channel, beside an ordinary one:
32 messages, 32 of them different
in a cluster by a pattern that matches everything:
62 messages, 62 of them different
another master ends the subscription, because that master notifies, too:
The cluster has new masters, and this subscription does not receive their key notifications, server pool alpha: the command was answered; subscribe again
