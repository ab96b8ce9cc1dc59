--TEST--
Whatever read_from says, sessions are read from masters; they outlive a master's failover
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

$page = lab_fpm(['session.save_handler' => 'onehop'], 2);
$script = '<?php
    ini_set("session.save_path", "pool=alpha&config=$_GET[config]");
    ini_set("redis.session.locking_enabled", $_GET["is_locked"]);
    session_id("visitor");
    session_start();
    echo $_SESSION["visits"] = ($_SESSION["visits"] ?? 0) + 1;';
$visits = static fn (int $count, string $config, int $isLocked): string => implode(' ', array_map(
    static fn () => $page($script, ['config' => $config, 'is_locked' => $isLocked]),
    range(1, $count),
));

echo "a replica that lags is not asked\n";
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
lab_show('visits', $visits(3, $file, 1));
$redis = new OneHop\Redis('alpha', $file);
lab_show('other reads do ask the replica', $redis->exists('PHPREDIS_SESSION:visitor'));

echo "the master dies\n";
$lab = new LabSentinels();
$file = $lab->config(['timeout' => 30000]);
lab_show('before', $visits(2, $file, 0));
Lab::until(function () use ($lab) {
    $replica = array_values(array_diff(array_keys($lab->processes), $lab->ports))[0];
    return str_contains((string) lab_plain($replica)->get('PHPREDIS_SESSION:visitor'), 'i:2');
}, 'copied session');
$lab->kill($lab->ports[0]);
lab_show('afterwards', $visits(2, $file, 0));
?>
--EXPECT--
a replica that lags is not asked
visits: "1 2 3"
other reads do ask the replica: 0
the master dies
before: "1 2"
afterwards: "3 4"
