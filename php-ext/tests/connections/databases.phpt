--TEST--
redis_db means what nutcracker makes of it; database means what it says
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$socket = Lab::file('redis.sock');
$open = lab_redis('--unixsocket', $socket);
$locked = lab_redis('--requirepass', 'secret');
$database_of = function (int|string $server, array $directives, int $port) {
    $server = is_int($server) ? "127.0.0.1:$server:1 node" : $server;
    $redis = new OneHop\Redis('alpha', lab_config([$server], $directives));
    try {
        $redis->set('where', 'here');
    } catch (OneHop\Exception $e) {
        return lab_hide($e->getMessage());
    }
    $plain = lab_plain($port);
    in_array('redis_auth', array_keys($directives))
        && $port !== $GLOBALS['open']
        && $plain->auth('secret');
    for ($database = 0; $database < 16; $database++) {
        $plain->select($database);
        if ($plain->del('where')) {
            return $database . ', told ' . $redis->getDbNum();
        }
    }
};
echo 'redis_db: ', $database_of($open, ['redis_db' => 3], $open), "\n";
echo 'redis_db, password not needed: ',
    $database_of($open, ['redis_db' => 3, 'redis_auth' => 'x'], $open), "\n";
echo 'redis_db, password needed: ',
    $database_of($locked, ['redis_db' => 3, 'redis_auth' => 'secret'], $locked), "\n";
echo 'redis_db, unix socket: ', $database_of("$socket:1 node", ['redis_db' => 3], $open), "\n";
echo 'redis_db that does not exist: ', $database_of($open, ['redis_db' => 99], $open), "\n";
echo 'database: ', $database_of($open, ['database' => 3], $open), "\n";
echo 'database, password needed: ',
    $database_of($locked, ['database' => 3, 'redis_auth' => 'secret'], $locked), "\n";
echo 'database, unix socket: ', $database_of("$socket:1 node", ['database' => 3], $open), "\n";
echo 'database that does not exist: ', $database_of($open, ['database' => 99], $open), "\n";

echo "nutcracker agrees: ";
foreach ([[$open, []], [$locked, ['redis_auth' => 'secret']]] as [$port, $directives]) {
    $config = lab_config([$port], ['redis_db' => 5] + $directives);
    $through = lab_plain(lab_nutcracker($config));
    $directives && $through->auth('secret');
    $through->set('by nutcracker', "in the same database as ours\n");
    $read = (new OneHop\Redis('alpha', $config))->get('by nutcracker');
    var_dump($read === "in the same database as ours\n");
}
?>
--EXPECT--
redis_db: 3, told 3
redis_db, password not needed: 3, told 3
redis_db, password needed: 0, told 3
redis_db, unix socket: 0, told 3
redis_db that does not exist: 0, told 99
database: 3, told 3
database, password needed: 3, told 3
database, unix socket: 3, told 3
database that does not exist: The node refused the database: ERR DB index is out of range, node node (127.0.0.1:PORT), server pool alpha: the command was not sent; correct redis_db or database in the server pool
nutcracker agrees: bool(true)
bool(true)
