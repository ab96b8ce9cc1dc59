--TEST--
A map of strangers is not believed while any node of the known cluster answers
--INI--
log_errors=1
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

ini_set('error_log', Lab::file('log'));
$cluster = new LabCluster(3, 0, '--cluster-require-full-coverage', 'no');
[$a, $b, $c] = $cluster->ports;
$redis = new OneHop\Redis('alpha', $cluster->config());
$keys = array_map(static fn ($i) => lab_key_in($i), range(0, 5));
$redis->set($keys[0], 'value');
$cluster->kill($c);
$cluster->replace($c); /* Another server, which knows none of the others. */
$cluster->call($c, 'CLUSTER', 'SET-CONFIG-EPOCH', '1000');
$cluster->call($c, 'CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
Lab::until(
    fn () => str_contains($cluster->call($c, 'CLUSTER', 'INFO'), 'cluster_state:ok'),
    'good state',
);

echo "-- each move of a slot causes a refresh, which also asks the stranger\n";
foreach ([1, 2, 3, 4, 5] as $slot) {
    foreach ([$b, $a] as $port) {
        $cluster->call($port, 'CLUSTER', 'SETSLOT', (string) $slot, 'NODE', $cluster->id($b));
    }
    $redis->set($keys[$slot], 'value');
    for ($end = microtime(true) + 1.3; microtime(true) < $end; usleep(20000)) {
        $redis->set($keys[0], 'value');
    }
}
lab_show('keys at the known nodes', $cluster->call($a, 'DBSIZE') + $cluster->call($b, 'DBSIZE'));
lab_show('keys at the stranger', $cluster->call($c, 'DBSIZE'));

echo "-- no known node is left\n";
$cluster->kill($a);
$cluster->kill($b);
Lab::until(function () use ($redis, $keys) {
    try {
        return $redis->set($keys[0], 'value');
    } catch (OneHop\Exception) {
        return false;
    }
}, 'answer', 60);
lab_show('its value', $redis->get($keys[0]));
preg_match_all('/OneHop: (.*another Redis Cluster)/', file_get_contents(Lab::file('log')), $told);
echo implode("\n", array_unique($told[1])), "\n";
?>
--EXPECT--
-- each move of a slot causes a refresh, which also asks the stranger
keys at the known nodes: 6
keys at the stranger: 0
-- no known node is left
its value: "value"
server pool alpha goes over to another Redis Cluster
