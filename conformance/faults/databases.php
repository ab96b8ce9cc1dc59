<?php
/*
 * A page: three objects with three databases read and write the same keys. Each value begins
 * with the number of its database. Answers JSON: how many commands were answered, how many calls
 * failed, how many SELECTs the worker's nodes got so far, and values of other databases.
 */
declare(strict_types=1);

$answer = ['commands' => 0, 'errors' => 0, 'wrong' => []];
$objects = [];
foreach ([0, 1, 2] as $database) {
    $objects[$database] = new OneHop\Redis('alpha', $_GET['config']);
}
$calls = [
    fn (Redis $redis, string $key, string $value) => $redis->set($key, $value) ? [] : ['not set'],
    fn (Redis $redis, string $key) => [$redis->get($key)],
    fn (Redis $redis, string $key) => $redis->mget([$key, 'k1', 'k2', 'k3', 'k4', 'k5', 'k6']),
    fn (Redis $redis, string $key, string $value) => $redis->mset([$key => $value, 'k7' => $value])
        ? []
        : ['not set'],
    fn (Redis $redis, string $key, string $value) => array_slice(
        $redis->pipeline()->set($key, $value)->set('k8', $value)->get($key)->get('k9')->exec(),
        2,
    ),
    fn (Redis $redis, string $key, string $value) => array_slice(
        $redis->multi()->set($key, $value)->get($key)->exec(),
        1,
    ),
    function (Redis $redis, string $key, string $value): array {
        $redis->watch($key);
        return $redis->multi()->get($key)->exec() ?: []; /* Another caller may have set the key. */
    },
    fn (Redis $redis, string $key) => [
        $redis->eval('return redis.call("GET", KEYS[1])', [$key], 1),
    ],
    fn (Redis $redis, string $key) => [$redis->rawCommand('GET', $key)],
];
while ($answer['commands'] < (int) $_GET['commands']) {
    $redis = $objects[array_rand($objects)];
    try {
        /* After a failure the object keeps its database: only getDbNum() says which one. */
        if (mt_rand(0, 19) === 0 || !$answer['commands']) {
            $redis->select(mt_rand(0, 2));
        }
        $database = $redis->getDbNum();
        $call = $calls[array_rand($calls)];
        $values = $call($redis, 'k' . mt_rand(0, 99), "$database of " . getmypid());
        foreach ($values as $value) {
            if ($value !== false && !str_starts_with((string) $value, "$database of ")) {
                $answer['wrong'][] = "$database got $value";
            }
        }
        $answer['commands'] += max(1, count($values));
    } catch (OneHop\Exception) {
        $answer['errors']++;
        $redis->getMode() === Redis::ATOMIC || $redis->discard();
        usleep(1000);
    }
}
$nodes = OneHop\Topology::status()[0]['nodes'];
echo json_encode($answer + ['selects' => array_sum(array_column($nodes, 'selects'))]);
