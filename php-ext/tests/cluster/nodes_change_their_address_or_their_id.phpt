--TEST--
Nodes of a Redis Cluster that come back at another address, or as others at the same one; seeds that are all dead; nodes that disagree
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(4, 0, '--cluster-require-full-coverage', 'no');
[$a, $b, $c, $d] = $cluster->ports;
$config = $cluster->config(['timeout' => 1000], [$a, $b]);
$redis = new OneHop\Redis('alpha', $config);
$slots = [$a => 100, $b => 5000, $c => 9000, $d => 13000];
$keys = array_map(lab_key_in(...), $slots);
foreach ($keys as $key) {
    $redis->set($key, $key);
}
$topology = static fn () => new OneHop\Topology('alpha', $config);
$ports = static fn (): array => array_map(static fn ($node) => $node->port, $topology()->nodes());
$of = static fn (int $port): array => current(array_filter(OneHop\Topology::status()[0]['nodes'], static fn ($node) => $node['address'] === "127.0.0.1:$port"));
/* Until a call is served; what it met on the way is counted. */
$await = static function (callable $call, string $what) use (&$failures): mixed {
    $failures = [];
    LabCluster::until(static function () use ($call, &$value, &$failures) {
        try {
            return ($value = $call()) !== null;
        } catch (OneHop\Exception $exception) {
            $failures[get_class($exception)] = true;
            usleep(20000);
            return false;
        }
    }, $what);
    return $value;
};

echo "the same id at another address\n";
$id = $cluster->id($d);
$cluster->kill($d);
mkdir(dirname(LabCluster::file($moved = Lab::port())));
copy(LabCluster::file($d), LabCluster::file($moved));
$cluster->start($moved);
var_dump($cluster->id($moved) === $id);
unset($cluster->ports[3]);
var_dump($await(static fn () => $redis->set($keys[$d], 'new'), 'node at its new address'), $failures === [] || $failures === ['OneHop\NodeDown' => true]);
var_dump($redis->get($keys[$d]), $topology()->locate($keys[$d])->port === $moved, in_array($d, $ports(), true));
var_dump($redis->mGet(array_values($keys)) === [$keys[$a], $keys[$b], $keys[$c], 'new']);
lab_tell(static fn () => $redis->onNode("127.0.0.1:$d", 'ping'));

echo "another id at the same address: it has neither the connections nor the failures of the one before\n";
$old = $cluster->id($c);
$redis->get($keys[$c]);
$cluster->kill($c);
for ($i = 0; $i < 3; $i++) {
    try {
        $redis->get($keys[$c]);
    } catch (OneHop\NodeDown) {
    }
}
var_dump($of($c)['state'], $of($c)['failures'] > 0);
unlink(LabCluster::file($c));
$cluster->start($c);
foreach ([$a, $b, $moved] as $port) {
    $cluster->call($port, 'CLUSTER', 'FORGET', $old);
}
$cluster->introduce($c, $a);
foreach ([$a, $b, $moved] as $port) {
    LabCluster::until(static fn () => preg_match("/^(?!$old)\\S+ 127\\.0\\.0\\.1:$c@\\S+ master /m", $cluster->call($port, 'CLUSTER', 'NODES')) === 1, 'new node');
}
$cluster->call($c, 'CLUSTER', 'ADDSLOTSRANGE', (string) (2 * LAB_SLOTS / 4), (string) (3 * LAB_SLOTS / 4 - 1));
foreach ([$a, $b, $moved, $c] as $port) {
    LabCluster::until(static fn () => $cluster->owns($port, $slots[$c], $c) && str_contains($cluster->call($port, 'CLUSTER', 'INFO'), 'cluster_state:ok'), 'owner');
}
var_dump($await(static fn () => $redis->set($keys[$c], 'other'), 'new node'), $redis->get($keys[$c]));
LabCluster::until(static fn () => $redis->get($keys[$c]) === 'other' && $of($c)['failures'] === 0, 'node without failures');
echo json_encode([$of($c)['state'], $of($c)['reason'], $of($c)['connections']['idle']]), "\n";
var_dump($cluster->plain($c)->info('clients')['connected_clients'] <= 3);

echo "all seeds are dead, and what is new is learned from the others\n";
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
    LabCluster::until(static fn () => $cluster->owns($port, 100, $spare) && $cluster->owns($port, 5000, $spare), 'new owner');
}
$cluster->kill($a);
$cluster->kill($b);
var_dump($await(static fn () => $redis->set($keys[$a], 'there'), 'new owner'), $redis->get($keys[$a]), $topology()->locate($keys[$a])->port === $spare);
var_dump($redis->set($keys[$b], 'too'), (new OneHop\Redis('alpha', $config))->get($keys[$c]));

echo "a node that has forgotten the others is not believed\n";
$values = ['there', 'too', 'other', 'new'];
$wrong = 0;
$ask = static function () use ($redis, $keys, $values, $a, &$wrong) {
    $wrong += $redis->mGet(array_values($keys)) !== $values;
    try {
        $redis->onNode("127.0.0.1:$a", 'ping'); /* It is dead: so the map may be old, and somebody is asked. */
    } catch (OneHop\NodeDown) {
    }
};
$forgetful = $cluster->join();
LabCluster::until(static function () use ($ask, $ports, $forgetful) {
    $ask();
    return in_array($forgetful, $ports(), true);
}, 'map with it');
$before = $topology()->fingerprint();
$cluster->call($forgetful, 'CLUSTER', 'RESET', 'SOFT');
$cluster->forgetStatistics();
LabCluster::until(static function () use ($ask, $cluster, $forgetful) {
    $ask();
    return preg_match('/cmdstat_cluster\|shards:calls=[2-9]/', $cluster->call($forgetful, 'INFO', 'commandstats')) === 1;
}, 'questions to it');
$ask();
var_dump($wrong, $topology()->fingerprint() === $before);
?>
--EXPECT--
the same id at another address
bool(true)
bool(true)
bool(true)
string(3) "new"
bool(true)
bool(false)
bool(true)
ValueError: OneHop\Redis::onNode(): Argument #1 ($node) must be the name of a node of server pool alpha; OneHop\Topology::nodes() has them
another id at the same address: it has neither the connections nor the failures of the one before
string(7) "resting"
bool(true)
bool(true)
string(5) "other"
["up",null,1]
bool(true)
all seeds are dead, and what is new is learned from the others
bool(true)
string(5) "there"
bool(true)
bool(true)
string(5) "other"
a node that has forgotten the others is not believed
int(0)
bool(true)
