--TEST--
If an address is silent, the next one is tried, too; an address that has connected comes first
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the program in its namespace.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$script = <<<'SCRIPT'
<?php
[, $lab, $zone] = $argv;
require $lab;

/* Fills the backlog of this address, so the kernel answers no further connection. */
function silence(string $host, int $port): array
{
    $family = str_contains($host, ':') ? AF_INET6 : AF_INET;
    $sockets = [socket_create($family, SOCK_STREAM, SOL_TCP)];
    socket_bind($sockets[0], $host, $port);
    socket_listen($sockets[0], 0);
    for ($i = 0; $i < 4; $i++) {
        $sockets[] = $socket = socket_create($family, SOCK_STREAM, SOL_TCP);
        socket_set_nonblock($socket);
        @socket_connect($socket, $host, $port);
    }
    return $sockets;
}

function get(string $name, int $port, array $directives): string
{
    $file = lab_config(["$name.test:$port:1 node"], $directives);
    $redis = new OneHop\Redis('alpha', $file);
    try {
        $value = $redis->get('k');
    } catch (OneHop\Exception $e) {
        return $e->getMessage();
    }
    $best = INF;
    for ($i = 0; $i < 5; $i++) {
        $plain = new Redis();
        $plain->connect('127.0.0.9', $port);
        $plain->rawCommand('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        $best = min($best, lab_time(fn () => $redis->get('k')));
    }
    return $value . ($best < 100 ? ', then quick' : ", then after $best ms");
}

/* Sorted by RFC 6724 the address of the node comes last. */
[$port, $other] = [Lab::port(), Lab::port()];
foreach ([$port, $other] as $each) {
    lab_redis_at($each, '127.0.0.9');
    $plain = new Redis();
    $plain->connect('127.0.0.9', $each);
    $plain->set('k', 'value');
}
$silent = [silence('127.0.0.1', $port), silence('127.0.0.2', $port), silence('::1', $port)];
file_put_contents($zone, json_encode([
    'two.test' => ['a' => ['127.0.0.1', '127.0.0.9'], 'ttl' => 1],
    'four.test' => ['a' => ['127.0.0.1', '127.0.0.2', '127.0.0.9'], 'aaaa' => ['::1'], 'ttl' => 60],
    'mute.test' => ['a' => ['127.0.0.1', '127.0.0.9'], 'ttl' => 1],
]));
echo 'two: ', get('two', $port, []), "\n";
echo 'four: ', get('four', $port, []), "\n";

/* This address accepts and never answers, which costs one call. */
$mute = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
socket_bind($mute, '127.0.0.1', $other);
socket_listen($mute, 10);
$redis = new OneHop\Redis('alpha', lab_config(["mute.test:$other:1 node"], ['timeout' => 3000]));
lab_tell(fn () => $redis->get('k'));
lab_show('the next call', $redis->get('k'));
SCRIPT;
$zone = Lab::file('zone.json');
echo lab_run($script, [__DIR__ . '/../lab/lab.inc', $zone], [
    'unshare', '-m', '-n', '--', 'python3', __DIR__ . '/../../../conformance/lab/dns.py', $zone,
    '127.0.0.1 in-hosts.test', '--',
]);
?>
--EXPECTF--
two: value, then quick
four: value, then quick
%s
%s
the next call: "value"
