<?php
/*
 * Times one job, for one client at a time, taking turns: MGET of 1000 random keys, or a pipeline of 1000 HGETs. Prints, for
 * each client, the median of its times in nanoseconds, as JSON. Every reply is compared with what its key must hold.
 */
declare(strict_types=1);

[, $job, $config, $seeds, $rounds] = $argv;
mt_srand(7);
$numbers = array_map(static fn () => mt_rand(0, 99999), range(1, 1000));
$keys = array_map(static fn ($number) => "key:$number", $numbers);
$users = array_map(static fn ($number) => "user:$number", $numbers);
$expected = ['mget' => array_map(static fn ($key) => "value of $key", $keys), 'pipeline' => array_map(static fn ($user) => "name of $user", $users)][$job];

$onehop = new OneHop\Redis('alpha', $config);
$stock = new RedisCluster(null, explode(',', $seeds), 5.0, 5.0);
$pipeline = static function (Redis $redis) use ($users): array {
    $redis->pipeline();
    foreach ($users as $user) {
        $redis->hGet($user, 'name');
    }
    return $redis->exec();
};
$jobs = $job === 'mget' ? ['OneHop' => static fn () => $onehop->mGet($keys), 'RedisCluster' => static fn () => $stock->mGet($keys)]
    : ['OneHop' => static fn () => $pipeline($onehop)];
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
