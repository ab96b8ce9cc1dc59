<?php
/*
 * One page of bench/cluster: makes a client and calls 20 commands. Answers how many replies were
 * wrong.
 */
declare(strict_types=1);

$redis = $_GET['client'] === 'onehop'
    ? new OneHop\Redis('alpha')
    : new RedisCluster(null, explode(',', $_GET['seeds']), 2.0, 2.0, true);
mt_srand((int) $_GET['seed']);
$wrong = 0;
for ($i = 0; $i < 20; $i++) {
    $key = 'key:' . mt_rand(0, 999);
    $wrong += $redis->get($key) !== "value of $key";
}
echo $wrong;
