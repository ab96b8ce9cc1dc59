--TEST--
A Redis Cluster is served at the ports for TLS that it announces, and SSDB through a TLS terminator
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';

$ports = lab_tls_cluster();
$redis = new OneHop\Redis('alpha', lab_tls_config(
    ["127.0.0.1:$ports[0]"],
    ['cluster' => 'true', 'listen' => null, 'redis' => null],
));
$keys = array_map(fn ($i) => "key:$i", range(0, 299));
foreach ($keys as $i => $key) {
    $redis->set($key, "value $i");
}
$values = array_map(fn ($i) => "value $i", range(0, 299));
lab_show('mget', $redis->mGet($keys) === $values);
$redis->pipeline();
array_map($redis->get(...), $keys);
lab_show('a batch', $redis->exec() === $values);
lab_show('keys', array_sum($redis->onEachNode('DBSIZE')));

lab_certificate('node');
$ssdb = lab_node('
    for words in commands():
        send(listed(["1.9.8"]) if words[0] == "VERSION" else bulk("v"))');
$relay = new LabRelay($ssdb, 'node');
$redis = new OneHop\Redis('alpha', lab_tls_config([$relay->port], ['engine' => 'ssdb']));
lab_show('SSDB', $redis->get('key'));
?>
--EXPECT--
mget: true
a batch: true
keys: 300
SSDB: "v"
