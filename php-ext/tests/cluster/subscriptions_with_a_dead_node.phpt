--TEST--
While a node of a Redis Cluster is dead, a living node serves its channels, and patterns go on
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';
require __DIR__ . '/../lab/processes.inc';

$cluster = new LabCluster(
    3,
    0,
    '--notify-keyspace-events',
    'KEx',
    '--cluster-require-full-coverage',
    'no',
);
$redis = new OneHop\Redis('alpha', $cluster->config());
$redis->get('key'); /* The map is known. */
[$a, $b, $dead] = $cluster->ports;
$cluster->kill($dead);
$channel = lab_key_in(16000, 'news');
$event = '__keyevent@0__:expired';
/* Keys of these nodes expire again and again: a node that is just back refuses them for a while. */
$expire = function (int ...$ports) use ($cluster): string {
    $keys = [];
    foreach ($ports as $port) {
        $keys[$port] = lab_key_in(array_search($port, $cluster->ports, true) * 6000);
    }
    return sprintf(
        'while (true) {
            foreach (%s as $port => $key) {
                $redis = new Redis();
                $redis->connect("127.0.0.1", $port);
                try {
                    for ($i = 0; $i < 10; $i++) {
                        $redis->psetex($key . $i, 1, "value");
                    }
                } catch (RedisException) {
                    continue;
                }
            }
            usleep(100000);
        }',
        var_export($keys, true),
    );
};
/* Once either living node has a subscriber, the other one passes messages on to it. */
$publish = fn (string $asks) => sprintf(
    '$of = fn ($port) => (function () use ($port) {
        $redis = new Redis();
        $redis->connect("127.0.0.1", $port);
        return $redis;
    })();
    [$a, $b] = [$of(%d), $of(%d)];
    while (!(%s)) {
        usleep(2000);
    }
    for ($i = 0; $i < 10; $i++) {
        $a->publish("%s", "hello $i");
    }',
    $a,
    $b,
    $asks,
    $channel,
);
$numsub = "rawCommand('PUBSUB', 'NUMSUB', '$channel')[1]";
$numpat = "rawCommand('PUBSUB', 'NUMPAT')";

echo "a channel of the dead node, and notifications:\n";
speaker($publish("\$a->$numsub + \$b->$numsub") . $expire($a, $b));
$heard = [];
$is_back = false;
$redis->subscribe([$channel, $event], function ($redis, $from, $text) use (
    &$heard,
    &$is_back,
    $channel,
    $event,
    $cluster,
    $expire,
    $dead,
    $a,
    $b,
) {
    $heard["$from $text"] = true;
    if (count($heard) === 30 && !$is_back) {
        lab_show('heard while it is dead', count($heard));
        $heard = [];
        $cluster->start($dead);
        $is_back = true;
        speaker($expire($a, $b, $dead));
    } elseif (count($heard) === 30) {
        $redis->unsubscribe([$channel, $event]);
    }
});
lab_show('heard after it is back', count($heard));

echo "a pattern:\n";
$cluster->kill($dead);
speaker($publish("\$a->$numpat + \$b->$numpat"));
$heard = [];
$redis->psubscribe(['*news'], function ($redis, $pattern, $channel, $text) use (&$heard) {
    $heard[] = $text;
    if (count($heard) === 10) {
        $redis->punsubscribe([$pattern]);
    }
});
lab_show('messages', count(array_unique($heard)));
?>
--EXPECT--
a channel of the dead node, and notifications:
heard while it is dead: 30
heard after it is back: 30
a pattern:
messages: 10
