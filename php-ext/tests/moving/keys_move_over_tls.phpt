--TEST--
Over TLS keys move by MIGRATE if the servers speak TLS to each other, and else by hand
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';

foreach (['yes', 'no'] as $between) {
    $servers = [];
    foreach (['old', 'owner'] as $name) {
        $servers[$name] = lab_tls_redis('node', '--tls-cluster', $between);
    }
    [[$from, $plain], [$to, $own]] = array_values($servers);
    $old = new OneHop\Redis('alpha', lab_tls_config([$from]));
    $old->setex('key', 1000, '41');
    $old->set('read', 'there');
    $ours = new OneHop\Redis('alpha', lab_tls_config([$to], [
        'moving_from' => "[\"127.0.0.1:$from:1 node-old\"]",
    ]));
    lab_show('read', $ours->get('read'));
    lab_show('brought', [$ours->incr('key'), $ours->ttl('key') > 900]);
    lab_show('moved', [lab_plain($plain)->exists('key'), lab_plain($own)->exists('key')]);
    $counts = lab_plain($plain)->info('commandstats');
    preg_match('/calls=(\d+).*failed_calls=(\d+)/', $counts['cmdstat_migrate'] ?? '', $calls);
    lab_show('MIGRATE, and how often it failed', array_slice($calls, 1));
}
?>
--EXPECT--
read: "there"
brought: [42,true]
moved: [0,1]
MIGRATE, and how often it failed: ["1","0"]
read: "there"
brought: [42,true]
moved: [0,1]
MIGRATE, and how often it failed: ["1","1"]
