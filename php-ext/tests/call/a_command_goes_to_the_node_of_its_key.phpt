--TEST--
A command goes to the node on which nutcracker places its key
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

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
    $through_nutcracker->set(md5("key$i"), "value $i");
    $wrong += $redis->get(md5("key$i")) !== "value $i";
    $redis->set(md5("other$i"), "by us $i");
    $wrong += $through_nutcracker->get(md5("other$i")) !== "by us $i";
    $wrong += $nodes[$topology->locate(md5("other$i"))->name]->get(md5("other$i")) !== "by us $i";
}
echo "wrong: $wrong\n";
echo 'nodes in use: ', count(array_filter($nodes, fn ($node) => $node->dbSize() > 20)), "\n";
?>
--EXPECT--
wrong: 0
nodes in use: 4
