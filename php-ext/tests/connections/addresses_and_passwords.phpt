--TEST--
Nodes have addresses of any kind; a password may be right, wrong, missing, or that of a user
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

echo "-- addresses\n";
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
    lab_show(strrchr($server, ' '), $redis->set('key', 'value') && $redis->get('key') === 'value'
        && $redis->pipeline()->get('key')->exec() === ['value']);
}
$redis = new OneHop\Redis('alpha', lab_config(["$path.gone:1 gone"]));
lab_tell(fn () => $redis->get('key'));
$redis = new OneHop\Redis('alpha', lab_config(['no-such-host.invalid:6379:1 nowhere']));
try {
    $redis->get('key');
} catch (OneHop\NodeDown $e) {
    echo preg_replace('/\(.*?\)/', '(...)', $e->getMessage(), 1), "\n";
}

$locked = lab_redis('--requirepass', 'secret-1');
$open = lab_redis();
$users = lab_redis('--user', 'app', 'on', '>secret-2', '~*', '+@all', '--user', 'default', 'off');
$try = function (int $port, array $directives) {
    $redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 node"], $directives));
    lab_tell(fn () => $redis->set('key', 'value') && $redis->get('key') === 'value');
};
echo "-- a password that is right\n";
$try($locked, ['redis_auth' => 'secret-1']);
echo "-- wrong\n";
$try($locked, ['redis_auth' => 'secret-wrong']);
echo "-- missing\n";
$try($locked, []);
echo "-- not needed\n";
$try($open, ['redis_auth' => 'secret-1']);
echo "-- a password of a user\n";
$try($users, ['redis_auth' => 'secret-2', 'username' => 'app']);
echo "-- a password of an unknown user\n";
$try($users, ['redis_auth' => 'secret-2', 'username' => 'nobody']);

echo "-- dumps and exports\n";
$redis = new OneHop\Redis('alpha', lab_config([$locked], ['redis_auth' => 'secret-1']));
$redis->get('key');
ob_start();
var_dump($redis);
print_r($redis);
var_export($redis);
phpinfo();
lab_show('a password is shown', str_contains(ob_get_clean(), 'secret'));
?>
--EXPECT--
-- addresses
 by-path: true
 by-ipv6: true
 by-name: true
 by-ipv4: true
OneHop\NodeDown, node gone, may have executed: false
  No such file or directory while connecting, node gone (DIRECTORY/one.sock.gone), server pool alpha: the command was not sent; check that the node is running and reachable
Host name not resolved (...), node nowhere (no-such-host.invalid:6379), server pool alpha: the command was not sent; check the host name and the resolver
-- a password that is right
value: true
-- wrong
OneHop\ConfigInvalid, node node, may have executed: false
  The node refused the user name or password: WRONGPASS invalid username-password pair or user is disabled, node node (127.0.0.1:PORT), server pool alpha: the command was not sent; correct username and redis_auth in the server pool
-- missing
OneHop\ConfigInvalid, node node, may have executed: false
  The node requires a password: NOAUTH Authentication required, node node (127.0.0.1:PORT), server pool alpha: the command was not sent; set redis_auth in the server pool
-- not needed
value: true
-- a password of a user
value: true
-- a password of an unknown user
OneHop\ConfigInvalid, node node, may have executed: false
  The node refused the user name or password: WRONGPASS invalid username-password pair or user is disabled, node node (127.0.0.1:PORT), server pool alpha: the command was not sent; correct username and redis_auth in the server pool
-- dumps and exports
a password is shown: false
