--TEST--
Nodes and replicas that are late together do not rest: this host had no processor or no network
--DESCRIPTION--
Not beneath valgrind: it is slower than these deadlines.
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

[[$first, $one], [$second, $two]] = [lab_redis_process(), lab_redis_process()];
$config = lab_config([$first, $second], ['timeout' => 200]);
$keys = array_values(lab_key_of_each($config));
$redis = new OneHop\Redis('alpha', $config);
/** How often the calls failed by their deadline, and how often because a node rested. */
$count = static function (array $keys, float $seconds) use ($redis): array {
    [$late, $rests] = [0, 0];
    $begin = microtime(true);
    /* After five seconds without any answer nodes do rest. */
    while (
        microtime(true) < $begin + $seconds
        || ($late < 3 && $rests === 0 && microtime(true) < $begin + 4)
    ) {
        try {
            $redis->mGet($keys);
        } catch (OneHop\Exception $e) {
            str_contains($e->getMessage(), 'The node is resting') ? $rests++ : $late++;
        }
    }
    return [$late, $rests];
};
/** The values, as soon as a busy machine lets both nodes answer in time. */
$read = static function () use ($redis, $keys): array {
    for ($end = microtime(true) + 30;; usleep(10000)) {
        try {
            return $redis->mGet($keys);
        } catch (OneHop\Exception $e) {
            if (microtime(true) > $end) {
                throw $e;
            }
        }
    }
};
$read();
posix_kill($one, SIGSTOP);
posix_kill($two, SIGSTOP);
[$late, $rests] = $count($keys, 0.9);
posix_kill($one, SIGCONT);
posix_kill($two, SIGCONT);
lab_show('both: late', $late >= 3);
lab_show('rested', $rests);
lab_show('both serve', $read());

posix_kill($one, SIGSTOP);
$end = microtime(true) + 30;
do {
    [$late, $rests] = $count($keys, 0.5);
} while ($rests === 0 && microtime(true) < $end);
posix_kill($one, SIGCONT);
lab_show('one of them: rested', $rests > 0);

/* Both replicas hang, and each read waits for a replica for half of its time. */
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
for ($read = [], $end = microtime(true) + 30; !$read && microtime(true) < $end; usleep(10000)) {
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
lab_show('replicas: read', $read);
lab_show('rested', $quick);
?>
--EXPECT--
both: late: true
rested: 0
both serve: [false,false]
one of them: rested: true
replicas: read: [false,false]
rested: 0
