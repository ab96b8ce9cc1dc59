--TEST--
With same_zone the nodes of the zone answer reads: host_zones of the file say which these are
--INI--
error_log=/dev/null
--ENV--
ONEHOP_TEST_ZONE=b
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

/* The first replica of the first master has another host than all other nodes. */
$masters = $ports = $lines = [];
foreach (['localhost', '127.0.0.1', '127.0.0.1'] as $i => $host) {
    $master = intdiv($i, 2);
    $masters[$master] ??= lab_redis('--repl-diskless-sync-delay', '0');
    [$ports[$i]] = lab_redis_process('--replicaof', "127.0.0.1 $masters[$master]");
    Lab::until(
        fn () => lab_plain($ports[$i])->info('replication')['master_link_status'] === 'up',
        'replication',
    );
    $lines[] = "\n   - $host:$ports[$i] node-$master";
}
$keys = array_map(fn ($i) => "key:$i", range(0, 199));
(new OneHop\Redis('alpha', lab_config($masters)))->mSet(array_combine($keys, $keys));
foreach ($ports as $i => $port) {
    Lab::until(
        fn () => (lab_plain($port)->info('replication')['slave_repl_offset'] ?? -1)
            >= lab_plain($masters[intdiv($i, 2)])->info('replication')['master_repl_offset'],
        'replica that has everything',
    );
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
foreach (['a', '${ONEHOP_TEST_ZONE}', 'elsewhere', 'localhost'] as $zone) {
    lab_show($zone, answers($zone, $masters, $lines, $nodes, $keys));
}
?>
--EXPECT--
a: "true replica 0, replica 2"
${ONEHOP_TEST_ZONE}: "true master 0, master 1, replica 1, replica 2"
elsewhere: "true replica 0, replica 1, replica 2"
localhost: "true replica 0, replica 2"
