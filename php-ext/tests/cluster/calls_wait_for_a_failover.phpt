--TEST--
Calls for a master that hangs or is dead go to its replica as soon as the replica is promoted
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/processes.inc';
require __DIR__ . '/../lab/cluster.inc';

/* No server calls another one failed, however busy the machine is: the test promotes. */
$cluster = new LabCluster(
    ...[3, 1, '--cluster-node-timeout', '60000', '--cluster-require-full-coverage', 'no'],
);

echo "a master hangs\n";
$victim = $cluster->ports[0];
$heir = array_search($victim, $cluster->masters, true);
/* With a password, a new connection is not ready before the node has answered. */
$config = $cluster->config(['redis_auth' => 'unneeded']);
[$key, $second, $other] = [lab_key_in(1), lab_key_in(2), lab_key_in(16000)];
$redis = new OneHop\Redis('alpha', $config);
$redis->mSet([$key => '1', $second => '2', $other => '3']);
$cluster->awaitReplicas();

$callers = new LabCallers($config);
$open = "\$redis->get('$key'); \$redis->get('$other')";
$callers->start(
    'a write that was not sent',
    "\$redis->set('$key:new', 'v')",
    "\$redis->get('$other')",
);
$callers->start('a read that was sent', "\$redis->get('$key')", $open);
$callers->start('without the express lane', "\$redis->getRange('$key', 0, -1)", $open);
$callers->start(
    'a batch of reads',
    "\$redis->pipeline()->get('$key')->get('$other')->get('$second')->exec()",
    $open,
);
$callers->start('keys of two nodes', "\$redis->mGet(['$key', '$other', '$second'])", $open);
$short = $cluster->config(['timeout' => 5000, 'redis_auth' => 'unneeded'], null, 'short.yml');
$callers->start('a write that was sent', "\$redis->append('$key', '!')", $open, $short);
$callers->awaitReady();
Lab::signal($cluster->processes[$victim], 19);
$callers->go();
usleep(1500000); /* So all have sent what they send. */
$cluster->call($heir, 'CLUSTER', 'FAILOVER', 'TAKEOVER');
$callers->tell();
lab_show('nothing twice', $cluster->call($heir, 'GET', $key));
Lab::signal($cluster->processes[$victim], 18);

echo "another master is dead\n";
$config = $cluster->config(['timeout' => 60000]);
$redis = new OneHop\Redis('alpha', $config);
$keys = array_map(static fn ($i) => "key:$i", range(0, 99));
$redis->mSet(array_combine($keys, $keys));
$cluster->awaitReplicas();
$victim = $cluster->ports[1];
$mine = current(array_filter(
    $keys,
    static fn ($key) => $cluster->owner(lab_slot($key)) === $victim,
));
$heir = array_search($victim, $cluster->masters, true);

$callers = new LabCallers($config);
$open = "\$keys = array_map(static fn (\$i) => \"key:\$i\", range(0, 99)); \$redis->mGet(\$keys)";
$callers->start('a write', "\$redis->append('{{$mine}}', 'more')", $open);
$callers->start('a read', "\$redis->getRange('$mine', 0, -1)", $open);
$callers->start('all nodes', '$redis->mGet($keys) === $keys', $open);
$new = "{{$mine}}:new";
$callers->start('a batch', "\$redis->pipeline()->set('$new', 'v')->get('$new')->exec()", $open);
$callers->awaitReady();
$cluster->kill($victim);
$cluster->forgetStatistics();
$callers->go();
Lab::until(fn () => $cluster->questions() > 5, 'calls that wait');
$cluster->call($heir, 'CLUSTER', 'FAILOVER', 'TAKEOVER');
$callers->tell();

echo "what another node says of the replica\n";
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
        echo "$name: the master is down\n";
        lab_show('before its deadline', microtime(true) - $begin < 15);
    }
    return count(lab_commands($knowing)) - $before;
};
$set('called failed by the third map', $map('online'), $map('online'), $map('fail'), $promoted);
$set('called loading', $map('loading'), $map('loading'), $promoted);
$set('called failed by the second map', $map('online'), $map('fail'));
lab_show('nobody asked again', $set('called failed by the first map', $map('fail')) < 10);
?>
--EXPECT--
a master hangs
a write that was not sent: true
a read that was sent: "1"
without the express lane: "1"
a batch of reads: ["1","3","2"]
keys of two nodes: ["1","3","2"]
a write that was sent: OneHop\DeadlineExceeded, may have executed
nothing twice: "1"
another master is dead
a write: 4
a read: "key:1"
all nodes: true
a batch: [true,"v"]
what another node says of the replica
called failed by the third map: true
called loading: true
called failed by the second map: the master is down
before its deadline: true
called failed by the first map: the master is down
before its deadline: true
nobody asked again: true
