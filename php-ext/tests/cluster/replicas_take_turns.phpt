--TEST--
read_from: prefer_replica: the replicas of a master take turns, also across clients and maps
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
Lab::until(static function () use ($cluster) {
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

/* Each slot that is found to have moved makes a new map. A refresh may find one first. */
[$from, $to] = $cluster->ports;
$redis = new OneHop\Redis('alpha', $config);
for ($i = 0; $i < 10; $i++) {
    $cluster->move(100 + $i, $from, $to);
    $redis->set(lab_key_in(100 + $i), 'a value');
    $redis->get($keys[0]);
}
lab_show('slots were found to have moved', $cluster->errors('MOVED') > 0);
echo implode(' ', $reads()), "\n";
?>
--EXPECT--
0 0 10 10 10 10
slots were found to have moved: true
0 0 15 10 15 10
