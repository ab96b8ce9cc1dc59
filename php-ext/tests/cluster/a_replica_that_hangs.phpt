--TEST--
A replica of a cluster hangs: a read costs half of its time, and the next ones nothing
--DESCRIPTION--
Not beneath valgrind: it counts the reads that took long.
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3, 1);
$replica = array_search($cluster->ports[0], $cluster->masters, true);
[$key, $second, $other] = [lab_key_in(1), lab_key_in(2), lab_key_in(16000)];
$config = $cluster->config(['timeout' => 3000, 'read_from' => 'prefer_replica']);
$redis = new OneHop\Redis('alpha', $config);
$redis->mSet([$key => '1', $second => '2', $other => '3']);
$cluster->awaitReplicas();
lab_show('before', $redis->mGet([$key, $second, $other]));

Lab::signal($cluster->processes[$replica], 19);
$reads = [
    'a read' => static fn () => $redis->get($key),
    'without the express lane' => static fn () => $redis->getRange($key, 0, -1),
    'several keys' => static fn () => $redis->mGet([$key, $second, $other]),
    'a batch' => static fn () => $redis->pipeline()->get($key)->get($other)->get($second)->exec(),
];
foreach ($reads as $name => $read) {
    $begin = microtime(true);
    lab_show($name, $read());
    $took[] = microtime(true) - $begin;
}
/* No read has waited for its whole time, and two at most have found out that it is silent. */
lab_show('in time', array_sum($took) < 4 * 3.0);
lab_show('at most two waited', count(array_filter($took, static fn ($s) => $s >= 1.5)) <= 2);
?>
--EXPECT--
before: ["1","2","3"]
a read: "1"
without the express lane: "1"
several keys: ["1","2","3"]
a batch: ["1","3","2"]
in time: true
at most two waited: true
