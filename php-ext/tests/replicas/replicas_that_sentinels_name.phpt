--TEST--
Replicas that Sentinels name answer reads, through failovers and the death of replicas
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

$lab = new LabSentinels(1);
$second = $lab->replicate($lab->ports[0]);
$replicas = fn () => array_values(array_diff(array_keys($lab->processes), [$lab->port()]));
$config = fn (string $from, int $timeout = 30000) => $lab->config([
    'read_from' => $from, 'timeout' => $timeout,
]);
$redis = new OneHop\Redis('alpha', $config('prefer_replica'));
$keys = array_map(fn ($i) => "key:$i", range(0, 99));
$redis->mSet(array_combine($keys, $keys));
$reads = function (int $port): int {
    $statistics = lab_plain($port)->info('commandstats')['cmdstat_get'] ?? 'calls=0';
    return (int) substr($statistics, strlen('calls='));
};
$settle = function () use ($lab, $replicas): void {
    foreach ($replicas() as $port) {
        lab_settle($port, $lab->port());
    }
};
/* Reads all keys, one by one and in a batch. True if all are right. */
$read = function (OneHop\Redis $redis) use ($keys): bool {
    $batch = $redis->pipeline();
    array_map($batch->get(...), $keys);
    return $batch->exec() === $keys && array_map($redis->get(...), $keys) === $keys;
};
/* A Sentinel learns of replicas by INFO, every ten seconds. */
$answered = function (string $what, array $ports) use ($redis, $read, $reads): void {
    $right = true;
    $before = array_combine($ports, array_map($reads, $ports));
    Lab::until(function () use (&$right, $redis, $read, $reads, $before): bool {
        $right = $right && $read($redis);
        foreach ($before as $port => $count) {
            if ($reads($port) === $count) {
                return false;
            }
        }
        return true;
    }, "$what: answers of all", 40);
    lab_show($what, $right);
};
$settle();
$answered('both replicas answer', $replicas());
$before = $reads($lab->port());
lab_show('right', $read($redis));
lab_show('reads of the master', $reads($lab->port()) - $before);
foreach (OneHop\Topology::status() as $pool) {
    $roles = array_map(fn ($node) => $node['role'], $pool['nodes']);
    $followed = array_column(array_slice($pool['nodes'], 1), 'master');
}
lab_show('the status', [$roles, $followed]);

$old = $lab->port();
$lab->failOver();
Lab::until(fn () => LabSentinels::isReplica($old), 'replica at the old address');
lab_show('a write', $redis->set('key:1', 'key:1'));
$settle();
$answered('after a failover the old master answers, too', [$old]);

$fastest = new OneHop\Redis('alpha', $config('lowest_latency'));
lab_show('lowest_latency', $read($fastest));
/* A read without any replica waits for one until its deadline. */
$strict = new OneHop\Redis('alpha', $config('replica', 3000));
lab_show('replica', $read($strict));
$zone = new OneHop\Redis('alpha', $lab->config([
    'read_from' => 'same_zone', 'zone' => 'a', 'host_zones' => "\n   - 127.0.0.1 a",
]));
$before = array_map($reads, array_keys($lab->processes));
Lab::until(
    fn () => $read($zone)
        && min(array_map(fn ($now, $then) => $now - $then, array_map(
            $reads,
            array_keys($lab->processes),
        ), $before)) > 0,
    'node of the zone for each read: the master, too',
    40,
);
$dead = $replicas();
foreach ($dead as $i => $port) {
    $lab->kill($port);
    $right = true;
    for ($end = microtime(true) + 1; microtime(true) < $end;) {
        $right = $right && $read($redis) && $read($fastest);
    }
    lab_show('right without ' . ($i + 1) . ' of the replicas', $right);
}
Lab::until(function () use ($strict): bool {
    try {
        return $strict->get('key:1') === null;
    } catch (OneHop\NodeDown $failure) {
        return str_contains($failure->getMessage(), 'No replica of this node');
    }
}, 'Sentinel that has noticed', 60);
lab_tell(fn () => $strict->get('key:1'));
lab_show('and a write', $strict->set('key:1', 'key:1'));
?>
--EXPECT--
both replicas answer: true
right: true
reads of the master: 0
the status: [["master","replica","replica"],["node-0","node-0"]]
a write: true
after a failover the old master answers, too: true
lowest_latency: true
replica: true
right without 1 of the replicas: true
right without 2 of the replicas: true
OneHop\NodeDown, node node-0, may have executed: false
  No replica of this node can answer, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; add a replica, or set "read_from: prefer_replica"
and a write: true
