--TEST--
A blocking command may wait longer than the deadline; signals, exit() and kill still end the wait
--DESCRIPTION--
Not beneath valgrind: it only waits.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis()];
$config = lab_config($ports, ['timeout' => 1000, 'hash_tag' => '"{}"']);
$redis = new OneHop\Redis('alpha', $config);
$topology = new OneHop\Topology('alpha', $config);
$port = fn (string $key) => $topology->locate($key)->port;

/** Sends a command from another process, $ms milliseconds after a caller has begun to wait. */
function later(int $ms, int $port, string ...$words): void
{
    Lab::start([
        PHP_BINARY,
        ...lab_php_arguments(),
        '-r',
        '
            $r = new Redis();
            $r->connect("127.0.0.1", (int) $argv[2]);
            while (!(int) $r->info("clients")["blocked_clients"]) {
                usleep(1000);
            }
            usleep((int) $argv[1] * 1000);
            $r->rawCommand(...array_slice($argv, 3));',
        '--',
        (string) $ms,
        (string) $port,
        ...$words,
    ]);
}

echo "longer than the deadline\n";
later(1200, $port('{a}1'), 'RPUSH', '{a}1', 'x');
lab_show('BLPOP', $redis->blPop(['{a}1', '{a}2'], 10));
later(1200, $port('{a}1'), 'RPUSH', '{a}1', 'y');
lab_show('BRPOP', $redis->brPop('{a}2', '{a}1', 0));
later(1200, $port('{a}z'), 'ZADD', '{a}z', '1', 'm');
lab_show('BZPOPMIN', $redis->bzPopMin('{a}z', 10));
later(1200, $port('{a}1'), 'RPUSH', '{a}1', 'z');
lab_show('BRPOPLPUSH', $redis->brpoplpush('{a}1', '{a}2', 10));
lab_show('raw BLPOP', $redis->rawCommand('BLPOP', '{a}2', '0.5'));
later(1200, $port('{a}1'), 'RPUSH', '{a}1', 'raw');
lab_show('raw BLPOP without end', $redis->rawCommand('BLPOP', '{a}1', '0'));
later(1200, $port('s'), 'XADD', 's', '1-1', 'f', 'v');
lab_show('XREAD', $redis->xRead(['s' => '$'], 1, 0));
echo "its own end\n";
lab_show('BLPOP', $redis->blPop('{a}1', 1));
lab_show('after a second', lab_time(fn () => $redis->blPop('{a}1', 1)) >= 1000);
echo "in a pipeline, in a transaction\n";
later(1200, $port('{a}1'), 'RPUSH', '{a}1', 'p', 'q');
lab_show(
    'pipeline',
    $redis->pipeline()->blPop('{a}1', 10)->set('{a}s', 1)->blPop('{a}1', 10)->exec(),
);
lab_show('transaction', $redis->multi()->blPop('{a}1', 10)->get('{a}s')->exec());
echo "other nodes\n";
$other = array_filter(lab_key_of_each($config), fn ($key) => $port($key) !== $port('{a}1'));
lab_tell(fn () => $redis->blPop(['{a}1', ...array_values($other)], 10));

echo "a node that hangs, or does not accept\n";
$hung = lab_node('
    for words in commands():
        if words[0] != "BLPOP":
            value("fine")
        elif words[1] == "cut":
            close()
        elif words[1] == "half":
            reply("*2")');
$odd = new OneHop\Redis('alpha', lab_config(
    ["127.0.0.1:$hung:1 hung"],
    ['timeout' => 500, 'server_failure_limit' => 1000],
    'hung.yml',
));
lab_tell(fn () => $odd->blPop('x', 1));
lab_tell(fn () => $odd->blPop('cut', 0));
lab_tell(fn () => $odd->blPop('half', 0));
lab_tell(fn () => $odd->get('x'));
$listener = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
socket_bind($listener, '127.0.0.1');
socket_listen($listener, 0);
socket_getsockname($listener, $address, $backlog);
$blockers = [];
for ($i = 0; $i < 4; $i++) {
    $blockers[] = @stream_socket_client("tcp://127.0.0.1:$backlog", timeout: 0.1);
}
$full = new OneHop\Redis(
    'alpha',
    lab_config(["127.0.0.1:$backlog:1 full"], ['timeout' => 500], 'full.yml'),
);
lab_tell(fn () => $full->blPop('x', 0));

echo "signals\n";
pcntl_async_signals(true);
$own = posix_getpid();
$seen = 0;
pcntl_signal(SIGUSR1, function () use (&$seen, $redis, $port) {
    $seen++;
    echo 'handled; ', json_encode($redis->get('{a}s')), "\n";
    later(300, $port('{a}1'), 'RPUSH', '{a}1', 'after the signal');
});
pcntl_signal(SIGUSR2, fn () => throw new DomainException('from the handler'));
/** Sends the signal as soon as this process waits. */
$kill = fn (int $signal) => Lab::start([
    PHP_BINARY, ...lab_php_arguments(), '-r', '
        $r = new Redis();
        $r->connect("127.0.0.1", (int) $argv[1]);
        while (!(int) $r->info("clients")["blocked_clients"]) {
            usleep(1000);
        }
        posix_kill((int) $argv[2], (int) $argv[3]);', '--',
    (string) $port('{a}1'), (string) $own, (string) $signal,
]);
$kill(SIGUSR1);
lab_show('BLPOP', $redis->blPop('{a}1', 0));
lab_show('signals handled', $seen);
$kill(SIGUSR2);
lab_tell(fn () => $redis->blPop('{a}1', 0));
lab_show('GET', $redis->get('{a}s'));
lab_show('RPUSH', $redis->rPush('{a}1', 'kept'));
lab_show('nobody took it', $redis->lLen('{a}1'));
$script = '<?php
    $redis = new OneHop\Redis("alpha", $argv[1]);
    pcntl_async_signals(true);
    pcntl_signal(SIGUSR1, function () {
        echo "exit in the handler";
        exit(0);
    });
    register_shutdown_function(fn () => print(" and " . json_encode($redis->get("{a}s"))));
    pcntl_alarm(1);
    pcntl_signal(SIGALRM, fn () => posix_kill(posix_getpid(), SIGUSR1));
    $redis->blPop("{b}1", 0);
    echo "not reached";';
echo lab_run($script, [$config]), "\n";
$script = '<?php
    $redis = new OneHop\Redis("alpha", $argv[1]);
    pcntl_alarm(1);
    $redis->blPop("{b}1", 0);
    echo "not reached";';
echo 'killed: ', json_encode(lab_run($script, [$config])), "\n";
?>
--EXPECT--
longer than the deadline
BLPOP: ["{a}1","x"]
BRPOP: ["{a}1","y"]
BZPOPMIN: ["{a}z","m","1"]
BRPOPLPUSH: "z"
raw BLPOP: ["{a}2","z"]
raw BLPOP without end: ["{a}1","raw"]
XREAD: {"s":{"1-1":{"f":"v"}}}
its own end
BLPOP: []
after a second: true
in a pipeline, in a transaction
pipeline: [["{a}1","p"],true,["{a}1","q"]]
transaction: [[],"1"]
other nodes
OneHop\CrossNode, node none, may have executed: false
  BLPOP needs all its keys on one node: key "{a}1" is on node node-0, key "key:100" on node node-1, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{a}1" and "{a}key:100"
a node that hangs, or does not accept
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 1500 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
OneHop\NodeDown, node hung, may have executed: true
  Connection closed by the node, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
OneHop\DeadlineExceeded, node hung, may have executed: true
  Only part of the answer arrived within 500 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
value: "fine"
OneHop\DeadlineExceeded, node full, may have executed: false
  No connection within 500 ms, node full (127.0.0.1:PORT), server pool alpha: the command was not sent; try again
signals
handled; "1"
BLPOP: ["{a}1","after the signal"]
signals handled: 1
DomainException: from the handler
GET: "1"
RPUSH: 1
nobody took it: 1
exit in the handler and "1"
killed: ""
