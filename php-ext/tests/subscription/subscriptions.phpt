--TEST--
Each channel is subscribed on its own node, and one callback receives all messages
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/processes.inc';

$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports);
$redis = new OneHop\Redis('alpha', $config);
$channels = array_values(lab_key_of_each($config, 'news:'));
sort($channels);
final class Enough extends RedisException {}

echo "Each channel on its node:\n";
$script = '';
foreach ($channels as $i => $channel) {
    $script .= sprintf(
        "say(%d, '%s', 'text %d');\n",
        port_of($channel, $config, $ports),
        $channel,
        $i,
    );
}
speaker($script);
$heard = [];
try {
    $redis->subscribe(
        $channels,
        function ($self, $channel, $text) use (&$heard, $channels, $redis) {
            $heard[$channel] = $text . ($self === $redis ? '' : ' to a stranger');
            if (count($heard) === count($channels)) {
                throw new Enough('enough');
            }
        },
    );
} catch (Enough $e) {
    $previous = var_export($e->getPrevious(), true);
    printf("%s: %s, previous: %s\n", get_class($e), $e->getMessage(), $previous);
}
ksort($heard);
lab_show('heard', $heard);

echo "A pattern is subscribed on all nodes, and each message comes once:\n";
$script = '';
foreach ($channels as $channel) {
    $script .= sprintf("say(%d, '%s', 'once');\n", port_of($channel, $config, $ports), $channel);
}
speaker($script . sprintf("say(%d, 'news:last', 'end');\n", port_of('news:last', $config, $ports)));
$heard = [];
try {
    $redis->psubscribe(
        ['news:*', 'weather:*'],
        function (OneHop\Redis $self, $pattern, $channel, $text) use (&$heard) {
            $heard[] = "$pattern $channel $text";
            if (count($heard) === 5) {
                throw new Enough('enough');
            }
        },
    );
} catch (Enough $e) {
    echo get_class($e), "\n";
}
sort($heard);
echo implode("\n", array_map(fn ($line) => preg_replace('/news:\d+/', 'news:N', $line), $heard)),
    "\n";

echo "The prefix is part of the channel; other methods work inside the callback:\n";
$redis->setOption(Redis::OPT_PREFIX, 'app:');
speaker(sprintf("say(%d, 'app:x', 'hello');", port_of('app:x', $config, $ports)));
try {
    $redis->subscribe(['x'], function ($self, $channel, $text) {
        $self->set('answer', "$channel says $text");
        throw new Enough($self->get('answer'));
    });
} catch (Enough $e) {
    echo $e->getMessage(), "\n";
}

echo "Publisher and subscriber may be the same object; an option set meanwhile stays:\n";
speaker(sprintf("say(%d, 'app:x', 'begin');", port_of('app:x', $config, $ports)));
$hear = function ($self, $channel, $text) use ($redis) {
    match ($text) {
        'begin' => $redis->publish('y', 'second'),
        'second' => $redis->publish('z', 'third'),
        'third' => [
            $redis->setOption(Redis::OPT_PREFIX, ''),
            $redis->unsubscribe(['app:x', 'app:y', 'app:z']),
        ],
    };
};
lab_show('it ends', $redis->subscribe(['x', 'y', 'z'], $hear));
$redis->setOption(Redis::OPT_PREFIX, 'app:');
echo "Many callbacks come and go:\n";
final class Counted {
    public static int $alive = 0;
    public function __construct() { self::$alive++; } public function __destruct() {
        self::$alive--;
    } public function __invoke($redis, $channel, $text) {
        $redis->publish('x', (string) ((int) $text + 1));
    }
}
speaker(sprintf("say(%d, 'app:x', '0');", port_of('app:x', $config, $ports)));
$most = 0;
$hear = function ($redis, $channel, $text) use (&$most) {
    $redis->unsubscribe(['y' . ((int) $text - 1)]);
    if ($text === '50') {
        return $redis->unsubscribe(['x']);
    }
    if (method_exists('Redis', 'ssubscribe')) {
        $redis->subscribe(["y$text"], new Counted);
    }
    $most = max($most, Counted::$alive);
    $redis->publish('x', (string) ((int) $text + 1));
};
lab_show('it ends', $redis->subscribe(['x'], $hear));
lab_show('at most one callback at a time', $most <= 1);
lab_show('callbacks left', Counted::$alive);
$redis->setOption(Redis::OPT_PREFIX, '');

echo "A subscription's connection does not count towards pool_size, so calls never wait for it:\n";
$one = new OneHop\Redis('alpha', lab_config([$ports[0]], ['pool_size' => 1]));
speaker("say($ports[0], 'news', 'hello');");
$one->subscribe(['news'], function ($one, $channel, $text) {
    lab_show('SET', $one->set('key', $text));
    lab_show('GET', $one->get('key'));
    $one->unsubscribe([$channel]);
});

echo "Shard channels, where phpredis has them, are apart from channels of the same name:\n";
[$a, $b] = array_values(lab_key_of_each($config, 'shard:'));
$heard = [];
if (method_exists('Redis', 'ssubscribe')) {
    /* Not by say(), which would wait for ever for a subscriber of the plain messages. */
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
lab_show('heard', $heard);
lab_show('it ends', $result);

echo "Afterwards the object works as before, and no node has a subscriber:\n";
lab_show('GET', $redis->get('app:answer'));
foreach ($ports as $port) {
    $plain = lab_plain($port);
    for (
        $i = 0;
        $plain->pubsub('numpat') + count($plain->pubsub('channels')) > 0 && $i < 500;
        $i++
    ) {
        usleep(2000);
    }
    echo $plain->pubsub('numpat') + count($plain->pubsub('channels')), ' ';
}
echo "\nNo channels, no callback, in a pipeline, in a transaction:\n";
lab_tell(fn () => $redis->subscribe([], fn () => 0));
lab_tell(fn () => $redis->subscribe(['x'], 'no such function'));
lab_tell(fn () => $redis->pipeline()->subscribe(['x'], fn () => 0));
$redis->discard();
lab_tell(fn () => $redis->multi()->subscribe(['x'], fn () => 0));
?>
--EXPECTF--
Each channel on its node:
Enough: enough, previous: NULL
heard: {"news:0":"text 0","news:100":"text 1","news:190":"text 2","news:200":"text 3"}
A pattern is subscribed on all nodes, and each message comes once:
Enough
news:* news:N once
news:* news:N once
news:* news:N once
news:* news:N once
news:* news:last end
The prefix is part of the channel; other methods work inside the callback:
app:x says hello
Publisher and subscriber may be the same object; an option set meanwhile stays:
it ends: true
Many callbacks come and go:
it ends: true
at most one callback at a time: true
callbacks left: 0
A subscription's connection does not count towards pool_size, so calls never wait for it:
SET: true
GET: "hello"
Shard channels, where phpredis has them, are apart from channels of the same name:
heard: ["first","second"]
it ends: true
Afterwards the object works as before, and no node has a subscriber:
GET: "app:x says hello"
0 0 0 0 
No channels, no callback, in a pipeline, in a transaction:
value: false
TypeError: Redis::subscribe(): Argument #2 ($%s) must be a valid callback, function "no such function" not found or invalid function name
OneHop\Unsupported, node none, may have executed: false
  subscribe() cannot be used in a pipeline: the command was not sent; call it outside
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::subscribe() cannot be used in a transaction: the command was not sent; call exec() or discard() first
