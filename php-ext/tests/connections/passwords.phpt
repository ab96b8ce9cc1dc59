--TEST--
Passwords may be right, wrong, missing, unneeded or a user's; none of them is ever shown
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$locked = lab_redis('--requirepass', 'secret-1');
$open = lab_redis();
$users = lab_redis('--user', 'app', 'on', '>secret-2', '~*', '+@all', '--user', 'default', 'off');
$try = function (int $port, array $directives) {
    $redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 node"], $directives));
    lab_tell(fn () => $redis->set('key', 'value') && $redis->get('key') === 'value');
};
echo "-- right\n";
$try($locked, ['redis_auth' => 'secret-1']);
echo "-- wrong\n";
$try($locked, ['redis_auth' => 'secret-wrong']);
echo "-- missing\n";
$try($locked, []);
echo "-- not needed\n";
$try($open, ['redis_auth' => 'secret-1']);
echo "-- of a user\n";
$try($users, ['redis_auth' => 'secret-2', 'username' => 'app']);
echo "-- of an unknown user\n";
$try($users, ['redis_auth' => 'secret-2', 'username' => 'nobody']);

echo "-- dumps and exports\n";
$redis = new OneHop\Redis('alpha', lab_config([$locked], ['redis_auth' => 'secret-1']));
$redis->get('key');
ob_start();
var_dump($redis);
print_r($redis);
var_export($redis);
phpinfo();
var_dump(str_contains(ob_get_clean(), 'secret'));
?>
--EXPECT--
-- right
value: true
-- wrong
OneHop\ConfigInvalid, node node, may have executed: false
  The node refused the user name or password: WRONGPASS invalid username-password pair or user is disabled, node node (127.0.0.1:PORT), server pool alpha: the command was not sent; correct username and redis_auth in the server pool
-- missing
OneHop\ConfigInvalid, node node, may have executed: false
  The node requires a password: NOAUTH Authentication required, node node (127.0.0.1:PORT), server pool alpha: the command was not sent; set redis_auth in the server pool
-- not needed
value: true
-- of a user
value: true
-- of an unknown user
OneHop\ConfigInvalid, node node, may have executed: false
  The node refused the user name or password: WRONGPASS invalid username-password pair or user is disabled, node node (127.0.0.1:PORT), server pool alpha: the command was not sent; correct username and redis_auth in the server pool
-- dumps and exports
bool(false)
