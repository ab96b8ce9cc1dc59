--TEST--
A subscription ends by unsubscribe, close, exit, a signal or a read timeout
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/processes.inc';

$ports = [lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports);
$redis = new OneHop\Redis('alpha', $config);
[$a, $b, $c] = array_values(lab_key_of_each($config, 'ch:'));
$say = fn (string $channel, string $text)
    => sprintf("say(%d, '%s', '%s');\n", port_of($channel, $config, $ports), $channel, $text);

echo "The last channel is unsubscribed, from inside the callback:\n";
speaker($say($a, 'one') . $say($b, 'two') . $say($c, 'three'));
$hear = function (OneHop\Redis $redis, $channel, $text) use ($a, $b, $c) {
    lab_show('it leaves', $redis->unsubscribe([$channel]) === [$channel => true]);
};
lab_show('it ends', $redis->subscribe([$a, $b, $c], $hear));

echo "Another channel joins from inside the callback, and both leave:\n";
speaker($say($a, 'one') . $say($b, 'two'));
$hear = function ($redis, $channel, $text) use ($a, $b) {
    echo "  $text\n";
    $redis->subscribe([$b], function ($redis, $channel, $text) use ($a, $b) {
        echo "  $text\n";
        $redis->unsubscribe([$a, $b]);
    });
};
lab_show('it ends', $redis->subscribe([$a], $hear));

echo "Unsubscribing what was not subscribed:\n";
lab_show('channels', array_keys($redis->unsubscribe([$a, 'never'])));
lab_show('patterns', array_keys($redis->punsubscribe(['p*'])));

echo "Messages that arrive during an unsubscribe are neither lost nor mixed up:\n";
speaker($say($a, 'go'));
$rest = [];
$channels = [$a, $b, $c];
$hear = function ($redis, $channel, $text) use ($a, $channels, $config, $ports, &$rest) {
    if ($channel === $a) {
        $plain = array_map(fn ($name) => lab_plain(port_of($name, $config, $ports)), $channels);
        for ($i = 0; $i < 3; $i++) {
            foreach ($channels as $k => $name) {
                $plain[$k]->publish($name, "$k$i");
            }
        }
        $redis->unsubscribe([$a]);
        return;
    }
    $rest[$channel][] = $text;
    if (count($rest[$channel]) === 3) {
        $redis->unsubscribe([$channel]);
    }
};
lab_show('it ends', $redis->subscribe($channels, $hear));
ksort($rest);
lab_show('heard', array_values($rest));

echo "close():\n";
speaker($say($a, 'close'));
lab_tell(fn () => $redis->subscribe([$a], fn ($redis) => $redis->close()));
lab_show('SET', $redis->set('k', 'v'));

echo "No message within OPT_READ_TIMEOUT:\n";
$redis->setOption(Redis::OPT_READ_TIMEOUT, 0.2);
lab_tell(fn () => $redis->psubscribe(['nothing*'], fn () => 0));
$redis->setOption(Redis::OPT_READ_TIMEOUT, -1);

echo "A signal handler throws while nothing is published:\n";
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, fn () => throw new RedisException('from the handler'));
$id = getmypid();
speaker(sprintf('
    $redis = new Redis();
    $redis->connect("127.0.0.1", %d);
    while ($redis->pubsub("numpat") === 0) {
        usleep(2000);
    }
    posix_kill(%d, %d);', $ports[0], $id, SIGUSR1));
lab_tell(fn () => $redis->psubscribe(['nothing*'], fn () => 0));

echo "exit:\n";
speaker($say($b, 'exit'));
register_shutdown_function(fn () => print("finally, " . $redis->get('k') . "\n"));
$redis->subscribe([$b], function () {
    exit("exits\n");
});
echo "never\n";
?>
--EXPECT--
The last channel is unsubscribed, from inside the callback:
it leaves: true
it leaves: true
it leaves: true
it ends: true
Another channel joins from inside the callback, and both leave:
  one
  two
it ends: true
Unsubscribing what was not subscribed:
channels: ["ch:0","never"]
patterns: ["p*"]
Messages that arrive during an unsubscribe are neither lost nor mixed up:
it ends: true
heard: [["10","11","12"],["20","21","22"]]
close():
RedisException: Connection closed
SET: true
No message within OPT_READ_TIMEOUT:
OneHop\DeadlineExceeded, node none, may have executed: true
  No message within 200 ms, server pool alpha: the command was answered; subscribe again, or do not set OPT_READ_TIMEOUT
A signal handler throws while nothing is published:
RedisException: from the handler
exit:
exits
finally, v
