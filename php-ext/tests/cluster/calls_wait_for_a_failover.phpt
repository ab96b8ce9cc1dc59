--TEST--
Calls wait for the replica of a dead master to be promoted; without a replica they fail at once
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3, 1, '--cluster-require-full-coverage', 'no');
$config = $cluster->config(['timeout' => 30000]);
$redis = new OneHop\Redis('alpha', $config);
$keys = array_map(static fn ($i) => "key:$i", range(0, 99));
$redis->mSet(array_combine($keys, $keys));
$cluster->awaitReplicas();
$victim = $cluster->owner(lab_slot($keys[0]));
$heir = array_search($victim, $cluster->masters, true);

$cluster->kill($victim);
lab_show('a write', $redis->append("{{$keys[0]}}", 'more'));
lab_show(
    'it is the heir',
    (new OneHop\Topology('alpha', $config))->locate($keys[0])->name === "127.0.0.1:$heir",
);
lab_show('all', $redis->mGet($keys) === $keys);

echo "-- it dies, too\n";
$begin = microtime(true);
$cluster->kill($heir);
for ($i = 0; $i < 10; $i++) {
    try {
        $redis->set($keys[0], 'lost');
    } catch (OneHop\NodeDown) {
        continue;
    }
}
lab_show('nobody has waited', microtime(true) - $begin < 20);
?>
--EXPECT--
a write: 4
it is the heir: true
all: true
-- it dies, too
nobody has waited: true
