--TEST--
Replicas take turns, also in a Redis Cluster; with same_zone the nodes of the zone answer
--INI--
error_log=/dev/null
--ENV--
ONEHOP_TEST_ZONE=b
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

/*
 * host_zones of the file say which nodes are in a zone. The first replica of the first master has
 * another host than all other nodes.
 */
$masters = $ports = $lines = [];
foreach (['localhost', '127.0.0.1', '127.0.0.1'] as $i => $host) {
    $master = intdiv($i, 2);
    $masters[$master] ??= lab_redis('--repl-diskless-sync-delay', '0');
    [$ports[$i]] = lab_replica($masters[$master]);
    $lines[] = "\n   - $host:$ports[$i] node-$master";
}
$keys = array_map(fn ($i) => "key:$i", range(0, 199));
(new OneHop\Redis('alpha', lab_config($masters)))->mSet(array_combine($keys, $keys));
foreach ($ports as $i => $port) {
    lab_settle($port, $masters[intdiv($i, 2)]);
}
$names = ['master 0', 'master 1', 'replica 0', 'replica 1', 'replica 2'];
$nodes = array_combine($names, [...$masters, ...$ports]);

/** Which nodes answer in this zone, and whether all values are right, alone and in a batch. */
function answers(string $zone, array $masters, array $lines, array $nodes, array $keys): string
{
    $redis = new OneHop\Redis('alpha', lab_config($masters, [
        'read_from' => 'same_zone',
        'zone' => $zone,
        'replicas' => implode($lines),
        'host_zones' => "\n   - localhost a\n   - 127.0.0.1 b",
    ], 'zone-' . md5($zone) . '.yml'));
    foreach ($nodes as $port) {
        lab_plain($port)->rawCommand('CONFIG', 'RESETSTAT');
    }
    $batch = $redis->pipeline();
    array_map($batch->get(...), $keys);
    $right = $batch->exec() === $keys && array_map($redis->get(...), $keys) === $keys;
    $answered = array_filter(
        $nodes,
        fn ($port) => isset(lab_plain($port)->info('commandstats')['cmdstat_get']),
    );
    return json_encode($right) . ' ' . implode(', ', array_keys($answered));
}
echo "the nodes of a zone\n";
foreach (['a', '${ONEHOP_TEST_ZONE}', 'elsewhere', 'localhost'] as $zone) {
    lab_show($zone, answers($zone, $masters, $lines, $nodes, $keys));
}

echo "turns, also after the file has changed\n";
$config = fn (int $timeout) => lab_config($masters, [
    'read_from' => 'replica', 'replicas' => implode($lines), 'timeout' => $timeout,
], 'turns.yml');
$reads = fn () => array_map(
    fn ($port) => (int) substr(
        lab_plain($port)->info('commandstats')['cmdstat_get'] ?? 'calls=0',
        strlen('calls='),
    ),
    array_slice($ports, 0, 2),
);
foreach ($nodes as $port) {
    lab_plain($port)->rawCommand('CONFIG', 'RESETSTAT');
}
$redis = new OneHop\Redis('alpha', $config(30000));
$key = lab_key_of_each($config(30000))['node-0'];
$redis->get($key);
lab_show('one read', array_sum($reads()));
$config(31000);
usleep(1100000);
$redis->get($key);
lab_show('one more, from a changed file', $reads());

echo "turns in a Redis Cluster, also across clients and maps\n";
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

$cluster->awaitOnline();
for ($i = 0; $i < 20; $i++) {
    $redis = new OneHop\Redis('alpha', $config);
    $redis->get($keys[0]);
    $redis->get($keys[1]);
}
lab_show('reads', $reads());

/* Each slot that is found to have moved makes a new map. A refresh may find a slot first. */
[$from, $to] = $cluster->ports;
$redis = new OneHop\Redis('alpha', $config);
for ($i = 0; $i < 10; $i++) {
    $cluster->move(100 + $i, $from, $to);
    $redis->set(lab_key_in(100 + $i), 'a value');
    $redis->get($keys[0]);
}
lab_show('slots were found to have moved', $cluster->errors('MOVED') > 0);
lab_show('reads', $reads());
?>
--EXPECT--
the nodes of a zone
a: "true replica 0, replica 2"
${ONEHOP_TEST_ZONE}: "true master 0, master 1, replica 1, replica 2"
elsewhere: "true replica 0, replica 1, replica 2"
localhost: "true replica 0, replica 2"
turns, also after the file has changed
one read: 1
one more, from a changed file: [1,1]
turns in a Redis Cluster, also across clients and maps
reads: [0,0,10,10,10,10]
slots were found to have moved: true
reads: [0,0,15,10,15,10]
