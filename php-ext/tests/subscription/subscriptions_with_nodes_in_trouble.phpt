--TEST--
When its last node fails, a subscription ends and names that node; all forms of values arrive
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/processes.inc';

[$port, $id] = lab_redis_process();
$other = lab_redis();
$say = fn (int $port, string $channel, string $text)
    => sprintf("say(%d, '%s', %s);\n", $port, $channel, $text);
/* A pool of one scripted node. */
$with = function (string $script, array $directives = []): OneHop\Redis {
    return new OneHop\Redis(
        'alpha',
        lab_config([lab_node($script)], $directives, bin2hex(random_bytes(4)) . '.yml'),
    );
};
$print = function ($redis, ...$message) {
    echo '  heard ', implode(' ', $message), "\n";
};
const CONFIRMATION = 'reply("*3", "$10", "psubscribe", "$2", "p*", ":1")';
const CONFIRMS = 'command(); ' . CONFIRMATION . '; ';
const MESSAGE = 'send(listed(["pmessage", "p*", "px", "hi"])); ';

echo "a node that refuses connections:\n";
lab_tell(fn () => (new OneHop\Redis(
    'alpha',
    lab_config(['127.0.0.1:1:1 dead']),
))->psubscribe(['p*'], $print));
echo "a node that does not confirm:\n";
lab_tell(
    fn () => $with('await_close()', ['timeout' => 300])->psubscribe(['p*'], $print),
);
echo "a node that does not answer the handshake:\n";
lab_tell(fn () => $with('await_close()', [
    'timeout' => 300,
    'redis_auth' => 'x',
])->psubscribe(['p*'], $print));
echo "a node that closes in the middle of a confirmation:\n";
lab_tell(fn () => $with('command(); send("*3\r\n$10\r\npsub")')->psubscribe(
    ['p*'],
    $print,
));
echo "a node that closes after a message and a half:\n";
lab_tell(
    fn () => $with(CONFIRMS . MESSAGE . 'reply("*4")')->psubscribe(['p*'], $print),
);
echo "a node that sends bytes that are not a reply:\n";
lab_tell(fn () => $with(CONFIRMS . MESSAGE . 'reply("hello"); await_close()')->psubscribe(
    ['p*'],
    $print,
));
echo "a node that sends byte by byte, which is not a fault:\n";
lab_tell(fn () => $with(
    'command(); drip("*3\r\n$10\r\npsubscribe\r\n$2\r\np*\r\n:1\r\n", 1); '
        . 'drip(listed(["pmessage", "p*", "px", "hi"]), 1)',
) ->psubscribe(['p*'], $print));
echo "a node that sends messages before it confirms:\n";
lab_tell(fn () => $with(
    'command(); ' . MESSAGE . MESSAGE . CONFIRMATION,
)->psubscribe(['p*'], $print));
echo "a node that sends messages of patterns that were not subscribed:\n";
lab_tell(fn () => $with(
    CONFIRMS . 'send(listed(["pmessage", "q*", "qx", "hi"])); ' . MESSAGE,
)->psubscribe(['p*'], $print));
echo "a node that wants a password:\n";
lab_tell(fn () => (new OneHop\Redis(
    'alpha',
    lab_config([lab_redis('--requirepass', 'secret')]),
))->psubscribe(['p*'], $print));
echo "a node that allows this user no channel: phpredis reports it as on one server:\n";
$user = ['--user', 'default', 'on', 'nopass', '~*', '+@all', 'resetchannels'];
$plain = lab_plain($closed = lab_redis(...$user));
$expected = @$plain->psubscribe(['p*'], $print);
$closed = new OneHop\Redis('alpha', lab_config([$other, $closed]));
lab_show('the same', $closed->psubscribe(['p*'], $print) === $expected);

$config = lab_config([$port]);
$redis = new OneHop\Redis('alpha', $config);
echo "a node that dies while nothing is published:\n";
speaker(sprintf(
    '
        $redis = new Redis();
        $redis->connect("127.0.0.1", %d);
        while ($redis->pubsub("numpat") === 0) {
            usleep(2000);
        }
        posix_kill(%d, 9);',
    $port,
    $id,
));
lab_tell(fn () => $redis->psubscribe(['p*'], $print));

$redis = new OneHop\Redis('alpha', lab_config([$other, lab_redis()]));
echo "a child that continues to listen on its parent's connections:\n";
speaker($say($other, 'p1', '"for both"'));
$child = null;
$listen = function ($redis, $pattern, $channel, $text) use (&$child, $other) {
    if ($child === null && ($child = pcntl_fork()) === 0) {
        return;
    }
    if ($text === 'for both') {
        pcntl_waitpid($child, $status);
        lab_plain($other)->publish('p1', 'for the parent');
        return;
    }
    echo "  heard $text\n";
    $redis->punsubscribe(['p*']);
};
lab_tell(fn () => $redis->psubscribe(['p*'], $listen));
if ($child === 0) {
    posix_kill(getmypid(), 9);
}

echo "a child that sends something on its parent's connections:\n";
$child = null;
speaker($say($other, 'p1', '"for both"'));
lab_tell(
    fn () => $redis->psubscribe(['p*'], function ($redis, $pattern, $channel, $text) use (&$child) {
        if (($child = pcntl_fork()) === 0) {
            lab_tell(fn () => $redis->punsubscribe(['p*']));
            posix_kill(getmypid(), 9);
        } pcntl_waitpid($child, $status);
        $redis->punsubscribe(['p*']);
    }),
);

echo "large and binary messages:\n";
speaker(
    $say($other, 'p1', 'str_repeat("0123456789abcdef", 200000)')
        . $say($other, 'p2', '"\0\r\n*3\r\n\xff"') . $say($other, 'p3', '""'),
);
$redis->psubscribe(['p*'], function ($redis, $pattern, $channel, $text) {
    echo '  ', strlen($text), ' ', md5($text), "\n";
    if ($text === '') {
        $redis->punsubscribe(['p*']);
    }
});
echo md5(str_repeat("0123456789abcdef", 200000)), ' ', md5("\0\r\n*3\r\n\xff"), "\n";

echo "a callback that suspends its fiber:\n";
speaker($say($other, 'p1', '"from the fiber"'));
$fiber = new Fiber(
    fn () => $redis->psubscribe(['p*'], function ($redis, $pattern, $channel, $text) {
        Fiber::suspend($text);
        $redis->punsubscribe(['p*']);
    }),
);
echo $fiber->start(), "\n";
$redis->set('key', 'main');
echo $redis->get('key'), "\n";
$fiber->resume();
lab_show('it ends', $fiber->getReturn());
?>
--EXPECT--
a node that refuses connections:
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
a node that does not confirm:
OneHop\DeadlineExceeded, node node-0, may have executed: true
  Subscription not confirmed within 300 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command may have executed; try again
a node that does not answer the handshake:
OneHop\DeadlineExceeded, node node-0, may have executed: false
  No connection within 300 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; try again
a node that closes in the middle of a confirmation:
OneHop\NodeDown, node node-0, may have executed: true
  Connection closed by the node, node node-0 (127.0.0.1:PORT), server pool alpha: the command may have executed; subscribe again; messages published in between are lost
a node that closes after a message and a half:
  heard p* px hi
OneHop\NodeDown, node node-0, may have executed: true
  Connection closed by the node, node node-0 (127.0.0.1:PORT), server pool alpha: the command was answered; subscribe again; messages published in between are lost
a node that sends bytes that are not a reply:
  heard p* px hi
OneHop\ProtocolViolation, node node-0, may have executed: true
  The node violated the protocol (a byte that cannot begin a reply), node node-0 (127.0.0.1:PORT), server pool alpha: the command was answered; check what listens at that address
a node that sends byte by byte, which is not a fault:
  heard p* px hi
OneHop\NodeDown, node node-0, may have executed: true
  Connection closed by the node, node node-0 (127.0.0.1:PORT), server pool alpha: the command was answered; subscribe again; messages published in between are lost
a node that sends messages before it confirms:
  heard p* px hi
  heard p* px hi
OneHop\NodeDown, node node-0, may have executed: true
  Connection closed by the node, node node-0 (127.0.0.1:PORT), server pool alpha: the command was answered; subscribe again; messages published in between are lost
a node that sends messages of patterns that were not subscribed:
  heard p* px hi
OneHop\NodeDown, node node-0, may have executed: true
  Connection closed by the node, node node-0 (127.0.0.1:PORT), server pool alpha: the command was answered; subscribe again; messages published in between are lost
a node that wants a password:
OneHop\ConfigInvalid, node node-0, may have executed: false
  The node requires a password: NOAUTH Authentication required, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; set redis_auth in the server pool
a node that allows this user no channel: phpredis reports it as on one server:
the same: true
a node that dies while nothing is published:
OneHop\NodeDown, node node-0, may have executed: true
  Connection closed by the node, node node-0 (127.0.0.1:PORT), server pool alpha: the command was answered; subscribe again; messages published in between are lost
a child that continues to listen on its parent's connections:
OneHop\NodeDown, node node-0, may have executed: true
  The connection belongs to another process, node node-0 (127.0.0.1:PORT), server pool alpha: the command was answered; subscribe again; messages published in between are lost
  heard for the parent
value: true
a child that sends something on its parent's connections:
OneHop\NodeDown, node node-0, may have executed: false
  The connection belongs to another process, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; subscribe again; messages published in between are lost
value: true
large and binary messages:
  3200000 4aba14a3846efbcabb4942274fa5639c
  8 701143726f12bf8ee7138f54a628b0ba
  0 d41d8cd98f00b204e9800998ecf8427e
4aba14a3846efbcabb4942274fa5639c 701143726f12bf8ee7138f54a628b0ba
a callback that suspends its fiber:
from the fiber
main
it ends: true
