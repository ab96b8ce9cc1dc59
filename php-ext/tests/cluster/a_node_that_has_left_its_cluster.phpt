--TEST--
A node that has left its cluster is neither shown nor called, though others keep their indexes
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3, 1);
$config = $cluster->config(seeds: array_slice($cluster->ports, 0, 3));
$names = static fn () => array_map(
    static fn ($node) => $node->name,
    (new OneHop\Topology('alpha', $config))->nodes(),
);
$redis = new OneHop\Redis('alpha', $config);
Lab::until(
    static fn () => $redis->set('key', 'value') && count($names()) === 6,
    'map of all nodes',
);

/* Not the last node: only a node before others leaves a gap in the indexes. */
$before = (new OneHop\Topology('alpha', $config))->nodes();
$leaving = current(array_filter(
    $before,
    static fn ($node) => $node->index < 5 && isset($cluster->masters[$node->port]),
));
$id = $cluster->id($leaving->port);
$cluster->kill($leaving->port);
unset($cluster->processes[$leaving->port]);
foreach (array_keys($cluster->processes) as $port) {
    $cluster->call($port, 'CLUSTER', 'FORGET', $id);
}
try {
    $redis->onNode($leaving->name, 'ping');
} catch (OneHop\NodeDown $exception) {
    echo "down\n";
}
Lab::until(
    static fn () => $redis->get('key') === 'value' && !in_array($leaving->name, $names(), true),
    'map without it',
);
$after = (new OneHop\Topology('alpha', $config))->nodes();
var_dump(count($after), array_diff(
    array_map(static fn ($node) => "$node->index $node->name", $after),
    array_map(static fn ($node) => "$node->index $node->name", $before),
));
$status = current(
    array_filter(OneHop\Topology::status(), static fn ($pool) => $pool['pool'] === 'alpha'),
);
var_dump(array_column($status['nodes'], 'node') === $names());
try {
    $redis->onNode($leaving->name, 'ping');
} catch (ValueError $exception) {
    echo $exception->getMessage(), "\n";
}
?>
--EXPECT--
down
int(5)
array(0) {
}
bool(true)
OneHop\Redis::onNode(): Argument #1 ($node) must be the name of a node of server pool alpha; OneHop\Topology::nodes() has them
