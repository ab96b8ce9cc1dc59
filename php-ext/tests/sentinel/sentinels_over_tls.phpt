--TEST--
Sentinels are reached by TLS or without it, whatever the nodes do
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';
require __DIR__ . '/../lab/tls.inc';

$lab = new LabSentinels(1, 3, null, lab_tls_options(...));
$config = fn (array $directives, array $ports, string $name) => $lab->config(
    $directives + ['tls_ca_cert_file' => lab_pem('ca')],
    $ports,
    "$name.yml",
);
$tls = new OneHop\Redis('alpha', $config(['sentinel_tls' => 'true'], $lab->tlsPorts, 'tls'));
lab_show('a write', $tls->set('key', 'value'));
$old = $lab->port();
$lab->failOver();
Lab::until(fn () => LabSentinels::isReplica($old), 'replica at the old address');
lab_show('after a failover', $tls->set('key', 'again'));

echo "-- a Sentinel that has no TLS\n";
ini_set('log_errors', '1');
ini_set('error_log', Lab::file('log'));
$plain = array_keys($lab->sentinels);
$wrong = $config(['sentinel_tls' => 'true', 'timeout' => 1000], $plain, 'wrong');
try {
    (new OneHop\Redis('alpha', $wrong))->get('key');
} catch (OneHop\Exception) { /* The address in the file is a replica now. */
}
/* The reason differs: a Sentinel answers a ClientHello if there is a line end in it. */
preg_match('/no Sentinel .* names master node-0/', file_get_contents(Lab::file('log')), $told);
echo $told[0] ?? 'nothing is told', "\n";

echo "-- nodes over TLS, Sentinels without\n";
[$port, $beside] = lab_tls_redis();
lab_plain($beside)->set('key', 'enciphered');
/* All Sentinels forget node-0 first: one that still knew its address would tell the others. */
foreach ($plain as $sentinel) {
    $lab->ask($sentinel, 'REMOVE', 'node-0');
}
foreach ($plain as $sentinel) {
    $lab->ask($sentinel, 'MONITOR', 'node-0', '127.0.0.1', (string) $port, '2');
}
$nodes = $config(['tls' => 'true', 'sentinel_tls' => 'false'], $plain, 'nodes');
lab_show('a read', (new OneHop\Redis('alpha', $nodes))->get('key'));
?>
--EXPECT--
a write: true
after a failover: true
-- a Sentinel that has no TLS
no Sentinel of server pool alpha names master node-0
-- nodes over TLS, Sentinels without
a read: "enciphered"
