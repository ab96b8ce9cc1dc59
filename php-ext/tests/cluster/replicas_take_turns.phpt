--TEST--
read_from: prefer_replica: the replicas of a master take turns, also across new clients
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(2, 2);
$cluster->awaitReplicas();
$keys = [lab_key_in(1), lab_key_in(16000)];
$config = $cluster->config(['read_from' => 'prefer_replica']);
$reads = static fn () => array_map(
    static fn ($port) => preg_match(
        '/cmdstat_get:calls=(\d+)/',
        $cluster->call($port, 'INFO', 'commandstats'),
        $match,
    ) ? (int) $match[1] : 0,
    $cluster->ports,
);

/* Begins once the map shows the replicas as online. */
LabCluster::until(static function () use ($cluster) {
    foreach ($cluster->ports as $port) {
        if (str_contains(json_encode($cluster->call($port, 'CLUSTER', 'SHARDS')), '"loading"')) {
            return false;
        }
    }
    return true;
}, 'replicas that are online');
for ($i = 0; $i < 20; $i++) {
    $redis = new OneHop\Redis('alpha', $config);
    $redis->get($keys[0]);
    $redis->get($keys[1]);
}
echo implode(' ', $reads()), "\n";
?>
--EXPECT--
0 0 10 10 10 10
