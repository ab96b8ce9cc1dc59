--TEST--
Clients follow nodes that change their address or id, and survive dead seeds and dissent
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(4, 0, '--cluster-require-full-coverage', 'no');
[$a, $b, $c, $d] = $cluster->ports;
$config = $cluster->config([], [$a, $b]);
$redis = new OneHop\Redis('alpha', $config);
$slots = [$a => 100, $b => 5000, $c => 9000, $d => 13000];
$keys = array_map(lab_key_in(...), $slots);
foreach ($keys as $key) {
    $redis->set($key, $key);
}
$topology = static fn () => new OneHop\Topology('alpha', $config);
$ports = static fn (): array => array_map(static fn ($node) => $node->port, $topology()->nodes());
$of = static fn (int $port): array => current(array_filter(
    OneHop\Topology::status()[0]['nodes'],
    static fn ($node) => $node['address'] === "127.0.0.1:$port",
));
/* Repeats a call until it is served, and notes the kinds of its failures. */
$await = static function (callable $call, string $what) use (&$failures): mixed {
    $failures = [];
    Lab::until(static function () use ($call, &$value, &$failures) {
        try {
            return ($value = $call()) !== null;
        } catch (OneHop\Exception $exception) {
            $failures[get_class($exception)] = true;
            usleep(20000);
            return false;
        }
    }, $what, 60);
    return $value;
};

echo "the same id at another address\n";
$id = $cluster->id($d);
$cluster->kill($d);
mkdir(dirname(LabCluster::file($moved = Lab::port())));
copy(LabCluster::file($d), LabCluster::file($moved));
$cluster->start($moved);
lab_show('the node has its old id', $cluster->id($moved) === $id);
unset($cluster->ports[3]);
$set = $await(static fn () => $redis->set($keys[$d], 'new'), 'node at its new address');
lab_show('SET', $set);
lab_show('until then only NodeDown', $failures === [] || $failures === ['OneHop\NodeDown' => true]);
lab_show('GET', $redis->get($keys[$d]));
lab_show('Topology has the new address', $topology()->locate($keys[$d])->port === $moved);
lab_show('Topology still has the old address', in_array($d, $ports(), true));
$values = [$keys[$a], $keys[$b], $keys[$c], 'new'];
lab_show('MGET from all nodes gives what was set', $redis->mGet(array_values($keys)) === $values);
lab_tell(static fn () => $redis->onNode("127.0.0.1:$d", 'ping'));

echo "a node with another id at an old address inherits neither connections nor failures\n";
$old = $cluster->id($c);
$redis->get($keys[$c]);
$cluster->kill($c);
for ($i = 0; $i < 3; $i++) {
    try {
        $redis->get($keys[$c]);
    } catch (OneHop\NodeDown) {
    }
}
lab_show('state of the dead node', $of($c)['state']);
lab_show('failures counted', $of($c)['failures'] > 0);
unlink(LabCluster::file($c));
$cluster->start($c);
foreach ([$a, $b, $moved] as $port) {
    $cluster->call($port, 'CLUSTER', 'FORGET', $old);
}
$cluster->introduce($c, $a);
foreach ([$a, $b, $moved] as $port) {
    Lab::until(
        static fn () => preg_match(
            "/^(?!$old)\\S+ 127\\.0\\.0\\.1:$c@\\S+ master /m",
            $cluster->call($port, 'CLUSTER', 'NODES'),
        ) === 1,
        'new node',
    );
}
[$first, $last] = [2 * LAB_SLOTS / 4, 3 * LAB_SLOTS / 4 - 1];
$cluster->call($c, 'CLUSTER', 'ADDSLOTSRANGE', (string) $first, (string) $last);
foreach ([$a, $b, $moved, $c] as $port) {
    Lab::until(
        static fn () => $cluster->owns($port, $slots[$c], $c)
            && str_contains($cluster->call($port, 'CLUSTER', 'INFO'), 'cluster_state:ok'),
        'owner',
    );
}
lab_show('SET', $await(static fn () => $redis->set($keys[$c], 'other'), 'new node'));
lab_show('GET', $redis->get($keys[$c]));
$others = [];
Lab::until(static function () use ($redis, $keys, $c, $of, &$others) {
    $value = $redis->get($keys[$c]);
    $others += $value === 'other' ? [] : [json_encode($value) => true];
    return $of($c)['failures'] === 0;
}, 'node without failures');
lab_show('other values of GET', $others);
lab_show(
    'its state, reason and idle connections',
    [$of($c)['state'], $of($c)['reason'], $of($c)['connections']['idle']],
);
lab_show(
    'it has at most 3 clients',
    $cluster->plain($c)->info('clients')['connected_clients'] <= 3,
);

echo "all seeds are dead: changes are learned from the other nodes\n";
$spare = $cluster->join();
foreach ([5000 => 'b', 100 => 'a'] as $slot => $name) {
    $redis->set(lab_key_in($slot), $name);
}
foreach ([$a, $b] as $seed) {
    [$first, $last] = $seed === $a ? [0, LAB_SLOTS / 4 - 1] : [LAB_SLOTS / 4, LAB_SLOTS / 2 - 1];
    foreach (array_keys($cluster->processes) as $port) {
        $cluster->call($port, 'CLUSTER', 'DELSLOTSRANGE', (string) $first, (string) $last);
    }
    $cluster->call($spare, 'CLUSTER', 'ADDSLOTSRANGE', (string) $first, (string) $last);
}
$cluster->call($spare, 'CLUSTER', 'BUMPEPOCH');
foreach ([$c, $moved, $spare] as $port) {
    Lab::until(
        static fn () => $cluster->owns($port, 100, $spare) && $cluster->owns($port, 5000, $spare),
        'new owner',
    );
}
$cluster->kill($a);
$cluster->kill($b);
lab_show(
    'SET of a key of the first seed',
    $await(static fn () => $redis->set($keys[$a], 'there'), 'new owner'),
);
lab_show('GET', $redis->get($keys[$a]));
lab_show('Topology has the new owner', $topology()->locate($keys[$a])->port === $spare);
lab_show('SET of a key of the second seed', $redis->set($keys[$b], 'too'));
lab_show('GET by a new client', (new OneHop\Redis('alpha', $config))->get($keys[$c]));

echo "a node that has forgotten the others is not believed\n";
$values = ['there', 'too', 'other', 'new'];
$wrong = 0;
$ask = static function () use ($redis, $keys, $values, $a, &$wrong) {
    $wrong += $redis->mGet(array_values($keys)) !== $values;
    try {
        /* The node is dead, so the map may be old, and the client asks for a new one. */
        $redis->onNode("127.0.0.1:$a", 'ping');
    } catch (OneHop\NodeDown) {
    }
};
$forgetful = $cluster->join();
Lab::until(static function () use ($ask, $ports, $forgetful) {
    $ask();
    return in_array($forgetful, $ports(), true);
}, 'a map with the new node');
$before = $topology()->fingerprint();
$cluster->call($forgetful, 'CLUSTER', 'RESET', 'SOFT');
$cluster->forgetStatistics();
Lab::until(static function () use ($ask, $cluster, $forgetful) {
    $ask();
    return preg_match(
        '/cmdstat_cluster\|shards:calls=[2-9]/',
        $cluster->call($forgetful, 'INFO', 'commandstats'),
    ) === 1;
}, 'a refresh that asks the node');
$ask();
lab_show('wrong replies', $wrong);
lab_show('the map stays', $topology()->fingerprint() === $before);
?>
--EXPECT--
the same id at another address
the node has its old id: true
SET: true
until then only NodeDown: true
GET: "new"
Topology has the new address: true
Topology still has the old address: false
MGET from all nodes gives what was set: true
ValueError: OneHop\Redis::onNode(): Argument #1 ($node) must be the name of a node of server pool alpha; OneHop\Topology::nodes() has them
a node with another id at an old address inherits neither connections nor failures
state of the dead node: "resting"
failures counted: true
SET: true
GET: "other"
other values of GET: []
its state, reason and idle connections: ["up",null,1]
it has at most 3 clients: true
all seeds are dead: changes are learned from the other nodes
SET of a key of the first seed: true
GET: "there"
Topology has the new owner: true
SET of a key of the second seed: true
GET by a new client: "other"
a node that has forgotten the others is not believed
wrong replies: 0
the map stays: true
