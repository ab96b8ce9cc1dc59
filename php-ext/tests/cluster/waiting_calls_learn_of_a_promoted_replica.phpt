--TEST--
A master of a cluster hangs: calls that wait for it go to its replica as soon as it is promoted
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/callers.inc';
require __DIR__ . '/../lab/cluster.inc';

/* With a password, a new connection is not ready before the node has answered. */
$cluster = new LabCluster(3, 1, '--requirepass', '', '--cluster-require-full-coverage', 'no');
$victim = $cluster->ports[0];
$heir = array_search($victim, $cluster->masters, true);
$config = $cluster->config(['timeout' => 20000, 'redis_auth' => 'unneeded']);
[$key, $second, $other] = [lab_key_in(1), lab_key_in(2), lab_key_in(16000)];
$redis = new OneHop\Redis('alpha', $config);
$redis->mSet([$key => '1', $second => '2', $other => '3']);
$cluster->awaitReplicas();

$callers = new LabCallers($config);
$open = "\$redis->get('$key'); \$redis->get('$other')";
$callers->start(
    'a write that was not sent',
    "\$redis->set('$key:new', 'v')",
    "\$redis->get('$other')",
);
$callers->start('a read that was sent', "\$redis->get('$key')", $open);
$callers->start('without the express lane', "\$redis->getRange('$key', 0, -1)", $open);
$callers->start(
    'a batch of reads',
    "\$redis->pipeline()->get('$key')->get('$other')->get('$second')->exec()",
    $open,
);
$callers->start('keys of two nodes', "\$redis->mGet(['$key', '$other', '$second'])", $open);
$short = $cluster->config(['timeout' => 1500, 'redis_auth' => 'unneeded'], null, 'short.yml');
$callers->start('a write that was sent', "\$redis->append('$key', '!')", $open, $short);
$callers->awaitReady();
Lab::signal($cluster->processes[$victim], 19);
$callers->go();
usleep(500000);
$cluster->call($heir, 'CLUSTER', 'FAILOVER', 'TAKEOVER');
$callers->tell();
lab_show('nothing twice', $cluster->call($heir, 'GET', $key));
?>
--EXPECT--
a write that was not sent: true
a read that was sent: "1"
without the express lane: "1"
a batch of reads: ["1","3","2"]
keys of two nodes: ["1","3","2"]
a write that was sent: OneHop\DeadlineExceeded, may have executed
nothing twice: "1"
