--TEST--
Topology::status() shows an ejected node, the reason, the time left and the nodes that replace it
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([lab_redis(), lab_redis(), '127.0.0.1:' . Lab::port() . ':1 gone'], [
    'auto_eject_hosts' => 'true', 'server_failure_limit' => 2, 'server_retry_timeout' => 300000,
    'distribution' => 'modula',
]);
$show = static function (): void {
    foreach (OneHop\Topology::status()[0]['nodes'] as $node) {
        echo str_pad($node['node'], 8), $node['state'], ', share ', round($node['share'], 2), ', ',
            $node['rests_ms'] > 200000 ? 'for minutes' : 'now', ', ', $node['reason']
                ?? 'no reason', "\n";
    }
};
$redis = new OneHop\Redis('alpha', $config);
$failed = 0;
$show();
for ($i = 0; $i < 50; $i++) {
    try {
        $redis->get(md5("$i"));
    } catch (OneHop\NodeDown) {
        $failed++;
    }
}
echo "\n$failed calls failed\n";
$show();
?>
--EXPECT--
gone    up, share 0.33, now, no reason
node-0  up, share 0.33, now, no reason
node-1  up, share 0.33, now, no reason

2 calls failed
gone    ejected, share 0, for minutes, Connection refused while connecting
node-0  up, share 0.5, now, no reason
node-1  up, share 0.5, now, no reason
