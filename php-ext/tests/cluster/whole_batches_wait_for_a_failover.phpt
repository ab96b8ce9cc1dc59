--TEST--
Commands wait for a promotion in a batch with one that has no key, and if only nodes know them
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/callers.inc';
require __DIR__ . '/../lab/cluster.inc';

/* No server calls another one failed, however busy the machine is: the test promotes. */
$cluster = new LabCluster(3, 1, ...['--cluster-node-timeout', '60000'], ...[
    '--rename-command', 'GETSET', 'exchange', '--loadmodule', lab_module(),
]);
$config = $cluster->config(['timeout' => 60000]);
$redis = new OneHop\Redis('alpha', $config);
$redis->pipeline()->echo('text')->exec();
$echoed = static fn ($port) => lab_plain($port)->info('commandstats')['cmdstat_echo'] ?? '';
[$victim] = array_values(array_filter(array_slice($cluster->ports, 0, 3), $echoed));
$heir = array_search($victim, $cluster->masters, true);
$mine = static fn ($slot) => $cluster->owner($slot) === $victim;
[$slot] = array_values(array_filter([0, 8000, 16000], $mine));
$key = lab_key_in($slot);
$redis->rawCommand('onehop.set', $key, 'value');
$redis->rawCommand('exchange', "$key:old", 'value');
$cluster->awaitReplicas();

$callers = new LabCallers($config);
$open = "\$redis->pipeline()->echo('text')->exec(); \$redis->get('$key')";
$callers->start('learnt', "\$redis->rawCommand('onehop.get', '$key')", $open);
$callers->start('renamed', "\$redis->rawCommand('exchange', '$key:old', 'new')", $open);
foreach ([
    'ECHO, then GET' => "->echo('text')->get('$key')",
    'GET, then ECHO' => "->get('$key')->echo('text')",
    'GET, then a learnt one' => "->get('$key')->rawCommand('onehop.get', '$key')",
    'learnt ones' => "->rawCommand('onehop.get', '$key')->rawCommand('onehop.get', '$key')",
] as $name => $batch) {
    $callers->start($name, "\$redis->pipeline(){$batch}->exec()", $open);
}
$callers->awaitReady();
$cluster->kill($victim);
$cluster->forgetStatistics();
$callers->go();
Lab::until(fn () => $cluster->questions() > 5, 'calls that wait');
$cluster->call($heir, 'CLUSTER', 'FAILOVER', 'TAKEOVER');
$callers->tell();
?>
--EXPECT--
learnt: "value"
renamed: "value"
ECHO, then GET: ["text","value"]
GET, then ECHO: ["value","text"]
GET, then a learnt one: ["value","value"]
learnt ones: ["value","value"]
