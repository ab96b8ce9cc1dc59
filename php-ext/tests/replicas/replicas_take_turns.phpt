--TEST--
The replicas of a plain server pool take turns, also after the file has changed
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

$master = lab_redis();
$replicas = [];
foreach ([0, 1] as $i) {
    $replicas[] = $port = lab_redis('--replicaof', "127.0.0.1 $master");
    Lab::until(
        fn () => lab_plain($port)->info('replication')['master_link_status'] === 'up',
        'replication',
    );
}
$config = fn (int $timeout) => lab_config([$master], [
    'read_from' => 'replica',
    'replicas' => implode(array_map(fn ($port) => "\n   - 127.0.0.1:$port node-0", $replicas)),
    'timeout' => $timeout,
], 'turns.yml');
$reads = fn () => array_map(
    fn ($port) => (int) substr(
        lab_plain($port)->info('commandstats')['cmdstat_get'] ?? 'calls=0',
        strlen('calls='),
    ),
    $replicas,
);

$redis = new OneHop\Redis('alpha', $config(5000));
$redis->get('key');
lab_show('one read', array_sum($reads()));
$config(6000);
usleep(1100000);
$redis->get('key');
lab_show('one more, from a changed file', $reads());
?>
--EXPECT--
one read: 1
one more, from a changed file: [1,1]
