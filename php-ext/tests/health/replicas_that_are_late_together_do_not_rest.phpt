--TEST--
Replicas that have kept a call for half of its time together do not rest
--DESCRIPTION--
Not beneath valgrind: it is slower than these deadlines.
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$masters = [lab_redis(), lab_redis()];
$replicas = $processes = [];
foreach ($masters as $i => $master) {
    [$port, $processes[]] = lab_redis_process('--replicaof', "127.0.0.1 $master");
    $replicas[] = "\n   - 127.0.0.1:$port node-$i";
}
$redis = new OneHop\Redis('alpha', $config = lab_config($masters, [
    'timeout' => 200, 'read_from' => 'prefer_replica', 'replicas' => implode('', $replicas),
]));
$keys = array_values(lab_key_of_each($config));
for ($end = microtime(true) + 30; microtime(true) < $end && !isset($read); usleep(10000)) {
    try {
        $read = $redis->mGet($keys);
    } catch (RedisException) {
    }
}
foreach ($processes as $process) {
    Lab::signal($process, 19);
}
/* A replica that rests is not asked, and costs nothing. */
for ($quick = 0, $end = microtime(true) + 0.9; microtime(true) < $end;) {
    $quick += lab_time(static fn () => $redis->mGet($keys)) < 90;
}
foreach ($processes as $process) {
    Lab::signal($process, 18);
}
lab_show('read', $read);
lab_show('rested', $quick);
?>
--EXPECT--
read: [false,false]
rested: 0
