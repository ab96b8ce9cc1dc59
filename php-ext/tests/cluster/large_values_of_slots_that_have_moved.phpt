--TEST--
Large, streamed values of slots that have moved come back whole, each under its own key
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3);
[$a, $b, $c] = $cluster->ports;
$redis = new OneHop\Redis('alpha', $cluster->config());

echo "-- 4 MB in a pipeline, every other key has moved\n";
$keys = array_map(static fn ($i) => lab_key_in(116 + $i % 2, ":big$i"), range(0, 39));
$values = array_map(
    static fn ($i) => str_repeat(chr(65 + $i % 26), 100000) . $keys[$i],
    range(0, 39),
);
$redis->mSet(array_combine($keys, $values));
$cluster->move(117, $a, $c);
$cluster->forgetStatistics();
$pipeline = $redis->pipeline();
foreach ($keys as $key) {
    $pipeline->get($key);
}
$replies = $pipeline->exec();
lab_show('values', count($replies));
lab_show('wrong values', count(array_diff_assoc($replies, $values)));
lab_show('nodes have answered MOVED', $cluster->errors('MOVED'));

echo "-- 3 MB alone\n";
$key = lab_key_in(118, ':long');
$redis->set($key, str_repeat('x', 3000000));
$cluster->move(118, $a, $c);
lab_show('bytes', strlen($redis->get($key)));
?>
--EXPECT--
-- 4 MB in a pipeline, every other key has moved
values: 40
wrong values: 0
nodes have answered MOVED: 20
-- 3 MB alone
bytes: 3000000
