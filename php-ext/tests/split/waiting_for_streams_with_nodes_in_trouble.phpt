--TEST--
A wait on several nodes ends in time with the others' entries if one fails, refuses or hangs
--DESCRIPTION--
Not beneath valgrind: it only waits.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * The name of a stream says how the odd node behaves. The process of each connection stores that
 * name in a file; the process that gets CLIENT UNBLOCK reads it there.
 */
$script = '
    while ($words = $node->command()) {
        $release = $words[0] === "CLIENT" && $words[1] === "UNBLOCK" ? $words[2] : null;
        if ($words[0] === "CLIENT" && $words[1] === "ID") {
            file_put_contents("' . Lab::$directory . '/how-" . posix_getpid(), "not blocked yet");
            $isRefused = is_file("' . Lab::$directory . '/no-identity");
            $node->send($isRefused ? "-NOPERM no CLIENT ID\r\n" : ":" . posix_getpid() . "\r\n");
        } elseif ($release) {
            $how = trim(@file_get_contents("' . Lab::$directory . '/how-$release"));
            $times = (int) @file_get_contents("' . Lab::$directory . '/times-$release");
            if ($how === "not blocked yet" || $how === "") {
                $node->send(":0\r\n");
                continue;
            }
            file_put_contents("' . Lab::$directory . '/times-$release", $times + 1);
            if ($how === "deaf") {
                sleep(30);
            }
            if ($how === "refuse") {
                $node->send("-ERR no\r\n");
                continue;
            }
            if ($how === "later" && $times < 3) {
                $node->send(":0\r\n");
                continue;
            }
            posix_kill((int) $release, SIGUSR1);
            $node->send(":1\r\n");
        } elseif ($words[0] === "XREAD") {
            $how = strtok($words[array_search("STREAMS", $words) + 1], ":");
            file_put_contents("' . Lab::$directory . '/how-" . posix_getpid(), $how);
            if ($how === "close") {
                usleep(100000);
                exit(0);
            }
            if ($how === "error") {
                $node->send("-ERR odd\r\n");
                continue;
            }
            if ($how === "surplus") {
                usleep(100000);
                $node->send("*-1\r\n*-1\r\n");
                continue;
            }
            pcntl_async_signals(true);
            $released = false;
            pcntl_signal(SIGUSR1, function () use (&$released) { $released = true; });
            for ($i = 0; !$released && $i < 2000; $i++) {
                usleep(10000); // At most 20 s, because nothing else ends this process.
            }
            $entries = "*1\r\n*2\r\n\$9\r\nentries:1\r\n*1\r\n*2\r\n\$3\r\n1-1\r\n"
                . "*2\r\n\$1\r\nf\r\n\$1\r\nv\r\n";
            $node->send($how === "entries" ? $entries : "*-1\r\n");
        } else {
            $node->value("fine");
        }
    }';
$odd = lab_node($script);
$real = lab_redis();
$config = lab_config(
    ["127.0.0.1:$odd:1 odd", "127.0.0.1:$real:1 real"],
    ['timeout' => 2000, 'server_failure_limit' => 1000],
);
$redis = new OneHop\Redis('alpha', $config);
$topology = new OneHop\Topology('alpha', $config);
$stream = function (string $prefix, string $node) use ($topology) {
    for ($i = 0; $topology->locate("$prefix:$i")->name !== $node; $i++);
    return "$prefix:$i";
};
$mine = $stream('mine', 'real');
$plain = lab_plain($real);
$plain->xAdd($mine, '1-1', ['f' => 'v']);

foreach (['fine', 'later', 'entries', 'deaf', 'refuse', 'close', 'error', 'surplus'] as $how) {
    echo "-- $how\n";
    $from = in_array($how, ['close', 'error', 'surplus']) ? '9-9' : '0';
    try {
        $entries = $redis->xRead([$stream($how, 'odd') => '0', $mine => $from], 10, 0);
        echo json_encode($entries === false ? [
            false,
            rtrim($redis->getLastError()),
        ] : array_map('array_values', $entries)), "\n";
    } catch (OneHop\PartialBatch $e) {
        foreach ($e->getFailures() as $node => $failure) {
            echo $node, ': ', $failure->getKind(), ' ',
                preg_replace('/, node.*/', '', $failure->getMessage()), "\n";
        }
        echo json_encode(array_map(
            fn ($reply) => $reply instanceof Throwable ? 'failed' : $reply,
            $e->getReplies(),
        )), "\n";
    }
    echo json_encode([
        $redis->get($stream('a', 'odd')),
        $redis->get($stream('a', 'real')),
        (int) $plain->info('clients')['blocked_clients'],
    ]), "\n";
}
echo "-- a node that is down\n";
$down = new OneHop\Redis('alpha', $other = lab_config(
    ["127.0.0.1:" . Lab::port() . ":1 odd", "127.0.0.1:$real:1 real"],
    ['timeout' => 2000],
    'down.yml',
));
lab_tell(fn () => $down->xRead([$stream('x', 'odd') => '$', $mine => '$'], 10, 0));
var_dump((int) $plain->info('clients')['blocked_clients']);
echo "-- a signal handler that throws, and one that exits\n";
pcntl_async_signals(true);
pcntl_signal(SIGALRM, fn () => throw new DomainException('from the handler'));
pcntl_alarm(1);
lab_tell(fn () => $redis->xRead([$stream('fine', 'odd') => '$', $mine => '$'], 10, 0));
for ($i = 0; $i < 100 && (int) $plain->info('clients')['blocked_clients']; $i++, usleep(10000));
var_dump((int) $plain->info('clients')['blocked_clients'], $redis->get($stream('a', 'real')));
$begin = '<?php
    $redis = new OneHop\Redis("alpha", $argv[1]);
    pcntl_async_signals(true);
    pcntl_signal(SIGALRM, function () {
        echo "exit";
        exit(0);
    });
    pcntl_alarm(1);';
echo lab_run(
    $begin . '$redis->xRead([$argv[2] => "$", $argv[3] => "$"], 10, 0); echo "not reached";',
    [$config, $stream('fine', 'odd'), $mine],
), "\n";
echo "-- CLIENT ID refused\n";
touch(Lab::file('no-identity'));
lab_tell(fn () => $redis->xRead([$stream('fine', 'odd') => '$', $mine => '$'], 10, 0));
?>
--EXPECT--
-- fine
{"mine:0":[{"f":"v"}]}
["fine",false,0]
-- later
{"mine:0":[{"f":"v"}]}
["fine",false,0]
-- entries
{"mine:0":[{"f":"v"}],"entries:1":[{"f":"v"}]}
["fine",false,0]
-- deaf
odd: DeadlineExceeded No answer within 2000 ms
["failed",{"mine:0":{"1-1":{"f":"v"}}}]
["fine",false,0]
-- refuse
odd: DeadlineExceeded No answer within 2000 ms
["failed",{"mine:0":{"1-1":{"f":"v"}}}]
["fine",false,0]
-- close
odd: NodeDown Connection closed by the node
["failed",[]]
["fine",false,0]
-- error
[false,"ERR odd"]
["fine",false,0]
-- surplus
odd: ProtocolViolation The node broke the protocol (a reply that nothing asked for)
["failed",[]]
["fine",false,0]
-- a node that is down
OneHop\PartialBatch, node none, may have executed: true
  A part of the batch did not come back (nodes that failed: odd), server pool alpha: the other commands were answered; getReplies() has their replies, getFailures() says of each node that failed whether its commands may have executed; the first failure: Connection refused while connecting, node odd (127.0.0.1:PORT), server pool alpha
int(0)
-- a signal handler that throws, and one that exits
DomainException: from the handler
int(0)
bool(false)
exit
-- CLIENT ID refused
OneHop\PartialBatch, node none, may have executed: true
  A part of the batch did not come back (nodes that failed: odd), server pool alpha: the other commands were answered; getReplies() has their replies, getFailures() says of each node that failed whether its commands may have executed; the first failure: The node refused a command that is sent before this one: NOPERM no CLIENT ID, node odd (127.0.0.1:PORT), server pool alpha
