<?php
/*
 * Times MGET of 1000 random keys. The clients take turns. Prints JSON: the median of each client's
 * times in nanoseconds. Each reply is compared with the key's value.
 */
declare(strict_types=1);

[, $config, $seeds, $rounds] = $argv;
mt_srand(7);
$keys = array_map(static fn () => 'key:' . mt_rand(0, 99999), range(1, 1000));
$expected = array_map(static fn ($key) => "value of $key", $keys);

$onehop = new OneHop\Redis('alpha', $config);
$stock = new RedisCluster(null, explode(',', $seeds), 5.0, 5.0);
$jobs = [
    'OneHop' => static fn () => $onehop->mGet($keys),
    'RedisCluster' => static fn () => $stock->mGet($keys),
];
$times = [];
for ($round = 0; $round < (int) $rounds; $round++) {
    foreach ($jobs as $name => $run) {
        $begin = hrtime(true);
        $replies = $run();
        $times[$name][] = hrtime(true) - $begin;
        if ($replies !== $expected) {
            exit("wrong replies of $name");
        }
    }
}
foreach ($times as $name => $all) {
    sort($all);
    $times[$name] = $all[intdiv(count($all), 2)];
}
echo json_encode($times);
