<?php
/*
 * COUNT GETs, one by one, whose system calls strace counts (bench/syscalls.py):
 *
 *     gets.php onehop CONFIG POOL COUNT
 *     gets.php phpredis HOST PORT COUNT
 */
declare(strict_types=1);

[, $client, $where, $which, $count] = $argv;
if ($client === 'onehop') {
    $redis = new OneHop\Redis($which, $where);
} else {
    $redis = new Redis();
    $redis->connect($where, (int) $which);
}
$redis->set('greeting', 'hello');
for ($i = 0; $i < (int) $count; $i++) {
    if ($redis->get('greeting') !== 'hello') {
        exit(1);
    }
}
$redis->del('greeting');
