--TEST--
While a node is dead, the channels of other nodes go on; its own channels come back with it
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/processes.inc';

ini_set('log_errors', '1');
ini_set('error_log', $log = Lab::file('log'));
[$port, $id] = lab_redis_process('--notify-keyspace-events', 'KEx');
$living = array_map(fn () => lab_redis('--notify-keyspace-events', 'KEx'), range(0, 1));
$config = lab_config([...$living, $port]);
$channels = lab_key_of_each($config, 'news:');
ksort($channels);
$event = '__keyevent@0__:expired';
$all = [...array_values($channels), $event];
$say = function (array $nodes, string $text) use ($channels, $living, $port): string {
    $script = '';
    foreach ($nodes as $node) {
        $script .= sprintf(
            'for ($i = 0; $i < 10; $i++) { say(%d, "%s", "%s $i"); }',
            [...$living, $port][$node],
            $channels["node-$node"],
            $text,
        );
    }
    return $script;
};
/* Ten keys, whose names do not matter, expire on each node that has a subscriber. */
$expire = fn (array $ports) => sprintf(
    'foreach (%s as $port) {
        $redis = new Redis();
        $redis->connect("127.0.0.1", $port);
        while ($redis->rawCommand("PUBSUB", "NUMSUB", "%s")[1] === 0) {
            usleep(2000);
        }
        for ($i = 0; $i < 10; $i++) {
            $redis->psetex("$port $i", 1, "value");
        }
    }',
    var_export($ports, true),
    $event,
);

echo "a node that is dead from the beginning:\n";
Lab::stop($id);
speaker($say([0, 1], 'dead') . $expire($living));
$redis = new OneHop\Redis('alpha', $config);
$heard = [];
$phase = 0;
$redis->subscribe($all, function ($redis, $channel, $text) use (
    &$heard,
    &$phase,
    $all,
    $say,
    $expire,
    $living,
    $port,
) {
    $heard["$channel $text"] = true;
    if (count($heard) === 40 && $phase === 0) {
        $phase = 1;
        printf("  %d messages of the living nodes\n", count($heard));
        $heard = [];
        lab_redis_at($port);
        lab_plain($port)->config('SET', 'notify-keyspace-events', 'KEx');
        speaker($expire([...$living, $port]) . $say([0, 1, 2], 'back'));
    } elseif (count($heard) === 60) {
        $redis->unsubscribe($all);
    }
});
printf("  %d messages of all, since it is back\n", count($heard));
preg_match_all('/node node-2 of server pool alpha: .*/', file_get_contents($log), $lines);
echo implode("\n", $lines[0]), "\n";

echo "a node that is replaced in the file meanwhile:\n";
[$second, $id] = lab_redis_process();
$config = lab_config([$living[0], $second], [], 'replaced.yml');
$redis = new OneHop\Redis('alpha', $config);
Lab::stop($id);
speaker(sprintf(
    'say(%d, "%s", "heard"); file_put_contents("%s", %s);',
    $living[0],
    lab_key_of_each($config)['node-0'],
    $config,
    var_export(str_replace(":$second:", ":$living[1]:", file_get_contents($config)), true),
));
lab_tell(fn () => $redis->subscribe(
    array_values(lab_key_of_each($config)),
    function ($redis, $channel, $text) {
        echo "  $text\n";
    },
));
?>
--EXPECT--
a node that is dead from the beginning:
  40 messages of the living nodes
  60 messages of all, since it is back
node node-2 of server pool alpha: Connection refused while connecting; until it is back, 2 of a subscription's channels and patterns get no messages from it
node node-2 of server pool alpha: 2 of a subscription's channels and patterns get its messages again
a node that is replaced in the file meanwhile:
  heard
OneHop\NodeDown, node node-1, may have executed: false
  Connection refused while connecting, node node-1 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
