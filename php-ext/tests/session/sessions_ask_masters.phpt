--TEST--
A session is read from the master, whatever read_from says: a replica may lag
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$master = lab_redis();
$behind = lab_redis(); // It never copies anything.
$file = Lab::file('replicas.yml');
file_put_contents($file, "alpha:
  read_from: replica
  servers:
   - 127.0.0.1:$master north
  replicas:
   - 127.0.0.1:$behind north
");
$page = lab_fpm([
    'session.save_handler' => 'onehop',
    'session.save_path' => "\"pool=alpha&config=$file\"",
    'redis.session.locking_enabled' => '1',
], 2);
$script = '<?php
    session_id("visitor");
    session_start();
    echo $_SESSION["visits"] = ($_SESSION["visits"] ?? 0) + 1, "\n";';
echo $page($script), $page($script), $page($script);

$redis = new OneHop\Redis('alpha', $file);
lab_show('other reads do ask it', $redis->exists('PHPREDIS_SESSION:visitor'));
?>
--EXPECT--
1
2
3
other reads do ask it: 0
