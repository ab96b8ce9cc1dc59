--TEST--
If a replica hangs, one read loses half of its time, later reads lose nothing; also in a cluster
--DESCRIPTION--
Not beneath valgrind: it counts the reads that took long.
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$master = lab_redis('--repl-diskless-sync-delay', '0');
[$replica, $process] = lab_replica($master);
lab_plain($master)->mSet(['key' => 'value', 'other' => 'too']);
lab_settle($replica, $master);

$config = static fn (string $from) => lab_config([$master], [
    'read_from' => $from, 'replicas' => "\n   - 127.0.0.1:$replica node-0", 'timeout' => 6000,
], "$from.yml");
$reads = [
    'a read' => static fn ($redis) => $redis->get('key'),
    'without the express lane' => static fn ($redis) => $redis->getRange('key', 0, -1),
    'several keys' => static fn ($redis) => $redis->mGet(['key', 'other']),
    'a batch' => static fn ($redis) => $redis->pipeline()->get('key')->strLen('other')->exec(),
    'a raw command' => static fn ($redis) => $redis->rawCommand('GET', 'key'),
];
/* The reads that were sent to a node, as soon as it goes on. */
$reached = static function (int $port): int {
    $statistics = lab_plain($port)->info('commandstats');
    $reads = array_intersect_key(
        $statistics,
        array_flip(['cmdstat_get', 'cmdstat_getrange', 'cmdstat_mget', 'cmdstat_strlen']),
    );
    return array_sum(array_map(static fn ($of) => (int) substr($of, strlen('calls=')), $reads));
};
/* How many reads may reach it. A deadline that a busy machine notices too late does not count. */
$most = static fn (array $took): int
    => 2 + 2 * count(array_filter($took, static fn ($seconds) => $seconds >= 3.05));
foreach (['prefer_replica', 'lowest_latency'] as $from) {
    $redis = new OneHop\Redis('alpha', $config($from));
    foreach (range(1, 5) as $i) {
        $redis->get('key');
    }
    $before = $reached($replica);
    Lab::signal($process, 19);
    $took = [];
    foreach ($reads as $name => $read) {
        $begin = microtime(true);
        lab_show("$from, $name", $read($redis));
        $took[] = microtime(true) - $begin;
    }
    /* No read has waited for its whole time, and at most two have found out that it hangs. */
    lab_show('in time', array_sum($took) < 5 * 6.0);
    Lab::signal($process, 18);
    lab_show('at most two have asked it', $reached($replica) - $before <= $most($took));
}

$cluster = new LabCluster(3, 1);
$replica = array_search($cluster->ports[0], $cluster->masters, true);
[$key, $second, $other] = [lab_key_in(1), lab_key_in(2), lab_key_in(16000)];
$config = $cluster->config(['timeout' => 6000, 'read_from' => 'prefer_replica']);
$redis = new OneHop\Redis('alpha', $config);
$redis->mSet([$key => '1', $second => '2', $other => '3']);
$cluster->awaitReplicas();
lab_show('a cluster, before', $redis->mGet([$key, $second, $other]));

$before = $reached($replica);
Lab::signal($cluster->processes[$replica], 19);
$took = [];
$reads = [
    'a read' => static fn () => $redis->get($key),
    'without the express lane' => static fn () => $redis->getRange($key, 0, -1),
    'several keys' => static fn () => $redis->mGet([$key, $second, $other]),
    'a batch' => static fn () => $redis->pipeline()->get($key)->get($other)->get($second)->exec(),
];
foreach ($reads as $name => $read) {
    $begin = microtime(true);
    lab_show("a cluster, $name", $read());
    $took[] = microtime(true) - $begin;
}
lab_show('in time', array_sum($took) < 4 * 6.0);
Lab::signal($cluster->processes[$replica], 18);
lab_show('at most two have asked it', $reached($replica) - $before <= $most($took));
?>
--EXPECT--
prefer_replica, a read: "value"
prefer_replica, without the express lane: "value"
prefer_replica, several keys: ["value","too"]
prefer_replica, a batch: ["value",3]
prefer_replica, a raw command: "value"
in time: true
at most two have asked it: true
lowest_latency, a read: "value"
lowest_latency, without the express lane: "value"
lowest_latency, several keys: ["value","too"]
lowest_latency, a batch: ["value",3]
lowest_latency, a raw command: "value"
in time: true
at most two have asked it: true
a cluster, before: ["1","2","3"]
a cluster, a read: "1"
a cluster, without the express lane: "1"
a cluster, several keys: ["1","2","3"]
a cluster, a batch: ["1","3","2"]
in time: true
at most two have asked it: true
