--TEST--
A command goes to the node of its key, where nutcracker puts it
--FILE--
<?php
require __DIR__ . '/lab.inc';

$config = lab_config($ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()]);
$through_nutcracker = lab_plain(lab_nutcracker($config));
$redis = new OneHop\Redis('alpha', $config);
$topology = new OneHop\Topology('alpha', $config);

$nodes = [];
foreach ($topology->nodes() as $node) {
    $nodes[$node->name] = lab_plain($node->port);
}
$wrong = 0;
for ($i = 0; $i < 500; $i++) {
    $through_nutcracker->set("key:$i", "value $i");
    $wrong += $redis->get("key:$i") !== "value $i";
    $redis->set("other:$i", "by us $i");
    $wrong += $through_nutcracker->get("other:$i") !== "by us $i";
    $wrong += $nodes[$topology->locate("other:$i")->name]->get("other:$i") !== "by us $i";
}
echo "wrong: $wrong\n";
echo 'nodes in use: ', count(array_filter($nodes, fn ($node) => $node->dbSize() > 20)), "\n";
?>
--EXPECT--
wrong: 0
nodes in use: 4
