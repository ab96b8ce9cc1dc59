--TEST--
Nodes may have unix sockets, host names and IPv6 addresses
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$path = Lab::file('one.sock');
lab_redis('--unixsocket', $path);
$six = Lab::port();
lab_redis_at($six, '::1');
$four = lab_redis();
foreach ([
    "$path:1 by-path", "::1:$six:1 by-ipv6", "localhost:$four:1 by-name",
    "127.0.0.1:$four:1 by-ipv4",
] as $server) {
    $redis = new OneHop\Redis('alpha', lab_config([$server]));
    var_dump($redis->set('key', 'value') && $redis->get('key') === 'value' && $redis->pipeline()
        ->get('key')->exec() === ['value']);
}
$redis = new OneHop\Redis('alpha', lab_config(["$path.gone:1 gone"]));
lab_tell(fn () => $redis->get('key'));
$redis = new OneHop\Redis('alpha', lab_config(['no-such-host.invalid:6379:1 nowhere']));
try {
    $redis->get('key');
} catch (OneHop\NodeDown $e) {
    echo preg_replace('/\(.*?\)/', '(...)', $e->getMessage(), 1), "\n";
}
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
OneHop\NodeDown, node gone, may have executed: false
  No such file or directory while connecting, node gone (DIRECTORY/one.sock.gone), server pool alpha: the command was not sent; check that the node is running and reachable
Host name not resolved (...), node nowhere (no-such-host.invalid:6379), server pool alpha: the command was not sent; check the host name and the resolver
