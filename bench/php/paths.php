<?php
/*
 * The page of bench/open_loop.py: makes a client, does one job and compares every value with its
 * key.
 *
 *     path     onehop (pool), nodes (one phpredis after the other), proxy, cluster
 *     job      get, hgets (100 HGETs), mget (of 100 keys)
 *     number   which keys: the driver counts its requests
 *     stage    a PHP file that returns the addresses of the servers, and the node of each key
 *
 * Answers the count of right values; status 500 and the error if a node failed; status 200 and
 * `wrong ...` for a wrong value, which ends the benchmark.
 */
declare(strict_types=1);

const SIZES = ['get' => 1, 'hgets' => 100, 'mget' => 100];
const TIMEOUT = 1.0; // Seconds, as in the pool's configuration.

/** The keys of one request: steps of a prime over 10,000 keys, so that none comes twice. */
function keys(string $job, int $number): array
{
    $prefix = $job === 'hgets' ? 'user' : 'item';
    $keys = [];
    for ($i = 0; $i < SIZES[$job]; $i++) {
        $keys[] = "$prefix:" . ($number * SIZES[$job] + $i) * 7919 % 10000;
    }
    return $keys;
}

function connected(string $host, int $port): Redis
{
    $redis = new Redis();
    $redis->pconnect($host, $port, TIMEOUT, null, 0, TIMEOUT);
    return $redis;
}

/** The values of a job on one client; RedisCluster has no pipeline. */
function values(Redis|RedisCluster $redis, string $job, array $keys): array
{
    $redis->clearLastError();
    if ($job === 'get') {
        $values = [$redis->get($keys[0])];
    } elseif ($job === 'mget') {
        $values = $redis->mGet($keys);
    } elseif ($redis instanceof RedisCluster) {
        $values = array_map(static fn (string $key) => $redis->hGet($key, 'name'), $keys);
    } else {
        $pipeline = $redis->pipeline();
        foreach ($keys as $key) {
            $pipeline->hGet($key, 'name');
        }
        $values = $pipeline->exec();
    }
    if ($redis->getLastError() !== null) {
        throw new RedisException($redis->getLastError());
    }
    return $values;
}

/** Asks one node after the other, and returns the values in the order of the keys. */
function nodeAfterNode(array $stage, string $job, array $keys): array
{
    $groups = [];
    foreach ($keys as $i => $key) {
        $groups[$stage['owners'][$key]][$i] = $key;
    }
    $values = [];
    foreach ($groups as $node => $group) {
        $answers = values(connected(...$stage['nodes'][$node]), $job, array_values($group));
        $values += array_combine(array_keys($group), $answers);
    }
    return $values;
}

function check(string $job, array $keys, array $values): string
{
    $field = $job === 'hgets' ? 'name' : 'value';
    foreach ($keys as $i => $key) {
        if ($values[$i] !== "$field of $key") {
            return "wrong value for $key: " . var_export($values[$i], true);
        }
    }
    return (string) count($keys);
}

$job = $_GET['job'];
$keys = keys($job, (int) $_GET['number']);
try {
    $stage = isset($_GET['stage']) ? require $_GET['stage'] : [];
    $values = match ($_GET['path']) {
        'onehop' => values(new OneHop\Redis($_GET['pool']), $job, $keys),
        'nodes' => nodeAfterNode($stage, $job, $keys),
        'proxy' => values(connected(...$stage['proxy']), $job, $keys),
        'cluster' => values(
            new RedisCluster(null, $stage['seeds'], TIMEOUT, TIMEOUT, true),
            $job,
            $keys,
        ),
    };
    echo check($job, $keys, $values);
} catch (RedisException | RedisClusterException | OneHop\Exception $error) {
    http_response_code(500);
    echo $error::class, ': ', $error->getMessage();
}
