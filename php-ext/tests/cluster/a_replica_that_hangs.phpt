--TEST--
A replica of a cluster hangs: a read costs half of its time, and the next ones nothing
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3, 1);
$replica = array_search($cluster->ports[0], $cluster->masters, true);
[$key, $second, $other] = [lab_key_in(1), lab_key_in(2), lab_key_in(16000)];
$config = $cluster->config(['timeout' => 1000, 'read_from' => 'prefer_replica']);
$redis = new OneHop\Redis('alpha', $config);
$redis->mSet([$key => '1', $second => '2', $other => '3']);
$cluster->awaitReplicas();
lab_show('before', $redis->mGet([$key, $second, $other]));

Lab::signal($cluster->processes[$replica], 19);
$begin = microtime(true);
lab_show('a read', $redis->get($key));
lab_show('without the express lane', $redis->getRange($key, 0, -1));
lab_show('several keys', $redis->mGet([$key, $second, $other]));
lab_show('a batch', $redis->pipeline()->get($key)->get($other)->get($second)->exec());
lab_show('in time', microtime(true) - $begin < 4 * 1.0);
/* One read and a batch at most found out that it is silent. */
$nodes = OneHop\Topology::status()[0]['nodes'];
$errors = array_column($nodes, 'errors', 'address')["127.0.0.1:$replica"];
lab_show('reads that waited, at most two', $errors <= 2);
?>
--EXPECT--
before: ["1","2","3"]
a read: "1"
without the express lane: "1"
several keys: ["1","2","3"]
a batch: ["1","3","2"]
in time: true
reads that waited, at most two: true
