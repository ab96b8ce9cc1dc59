--TEST--
Calls for a dead master wait until its replica is promoted, whatever single servers say meanwhile
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/callers.inc';
require __DIR__ . '/../lab/liars.inc';

/* No server calls another one failed, however busy the machine is: the test promotes. */
$cluster = new LabCluster(3, 1, '--cluster-node-timeout', '60000');
$config = $cluster->config(['timeout' => 60000]);
$redis = new OneHop\Redis('alpha', $config);
$keys = array_map(static fn ($i) => "key:$i", range(0, 99));
$redis->mSet(array_combine($keys, $keys));
$cluster->awaitReplicas();
$victim = $cluster->owner(lab_slot($keys[0]));
$heir = array_search($victim, $cluster->masters, true);

$callers = new LabCallers($config);
$open = "\$keys = array_map(static fn (\$i) => \"key:\$i\", range(0, 99)); \$redis->mGet(\$keys)";
$callers->start('a write', "\$redis->append('{{$keys[0]}}', 'more')", $open);
$callers->start('a read', "\$redis->getRange('$keys[0]', 0, -1)", $open);
$callers->start('all nodes', '$redis->mGet($keys) === $keys', $open);
$new = "{{$keys[0]}}:new";
$callers->start('a batch', "\$redis->pipeline()->set('$new', 'v')->get('$new')->exec()", $open);
$callers->awaitReady();
$cluster->kill($victim);
$cluster->forgetStatistics();
$callers->go();
Lab::until(fn () => $cluster->questions() > 5, 'calls that wait');
$cluster->call($heir, 'CLUSTER', 'FAILOVER', 'TAKEOVER');
$callers->tell();

$liars = new Liars();
[$knowing, $heir] = $liars->ports;
$dead = Lab::port();
$key = lab_key_in(5);
$map = static fn (string $health) => [
    [0, 8191, [$dead, 'master', 'online'], [$heir, 'replica', $health]],
    [8192, 16383, [$knowing, 'master', 'online']],
];
$promoted = [
    [0, 8191, [$dead, 'master', 'fail'], [$heir, 'master', 'online']],
    [8192, 16383, [$knowing, 'master', 'online']],
];
$set = static function (string $name, array ...$maps) use ($liars, $knowing, $heir, $key) {
    $liars->tellInTurn($knowing, ...$maps);
    $before = count(lab_commands($knowing));
    $begin = microtime(true);
    $client = $liars->client(['timeout' => 60000], "$name.yml");
    try {
        lab_show($name, $client->getSet($key, 'value') === "$heir $key");
    } catch (OneHop\NodeDown) {
        echo "$name: it is down\n";
        lab_show('before its deadline', microtime(true) - $begin < 15);
    }
    return count(lab_commands($knowing)) - $before;
};
$set('once it was called failed', $map('online'), $map('online'), $map('fail'), $promoted);
$set('it is called loading', $map('loading'), $map('loading'), $promoted);
$set('from now on it is called failed', $map('online'), $map('fail'));
lab_show('nobody asked again', $set('it was called failed before', $map('fail')) < 10);
?>
--EXPECT--
a write: 4
a read: "key:0"
all nodes: true
a batch: [true,"v"]
once it was called failed: true
it is called loading: true
from now on it is called failed: it is down
before its deadline: true
it was called failed before: it is down
before its deadline: true
nobody asked again: true
