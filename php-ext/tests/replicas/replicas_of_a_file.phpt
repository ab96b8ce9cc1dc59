--TEST--
Replicas that the file names answer reads, alone and in batches; if they fail, the master answers
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

$masters = $replicas = $lines = [];
foreach ([0, 1] as $i) {
    $masters[$i] = lab_redis('--repl-diskless-sync-delay', '0');
    foreach ([0, 1] as $k) {
        [$port, $process] = lab_replica($masters[$i]);
        $replicas[$port] = $process;
        $lines[] = "\n   - 127.0.0.1:$port node-$i";
    }
}
$config = fn (string $from, ?array $of = null) => lab_config($masters, [
    'read_from' => $from, 'replicas' => implode($of ?? $lines),
], "$from.yml");
$keys = array_map(fn ($i) => "key:$i", range(0, 999));
$writer = new OneHop\Redis('alpha', lab_config($masters));
$writer->mSet(array_combine($keys, $keys));
foreach ($keys as $key) {
    $writer->hSet("h:$key", 'f', $key);
}
$settle = function () use ($masters, $replicas): void {
    foreach (array_keys($replicas) as $i => $port) {
        lab_settle($port, $masters[intdiv($i, 2)]);
    }
};
$settle();

/** How often the servers at these ports have executed a command. */
function executed(array $ports, string $command): int
{
    $calls = 0;
    foreach ($ports as $port) {
        $statistics = lab_plain($port)->info('commandstats');
        $calls += (int) substr($statistics["cmdstat_$command"] ?? 'calls=0', strlen('calls='));
    }
    return $calls;
}
$forget = fn () => array_map(
    fn ($port) => lab_plain($port)->rawCommand('CONFIG', 'RESETSTAT'),
    [...$masters, ...array_keys($replicas)],
);

foreach (['master', 'prefer_replica', 'replica', 'lowest_latency'] as $from) {
    $redis = new OneHop\Redis('alpha', $config($from));
    $forget();
    $right = 0;
    foreach ($keys as $key) {
        $right += $redis->get($key) === $key;
    }
    $pipeline = $redis->pipeline();
    foreach ($keys as $key) {
        $pipeline->hGet("h:$key", 'f');
    }
    $right += count(array_intersect_assoc($pipeline->exec(), $keys));
    $right += count(array_intersect_assoc($redis->mGet($keys), $keys));
    $at = [executed($masters, 'hget'), executed(array_keys($replicas), 'hget')];
    $all = min(array_map(fn ($port) => executed([$port], 'get'), array_keys($replicas))) > 0;
    lab_show("$from: right of 3000", $right);
    if ($from === 'lowest_latency') {
        lab_show('HGETs', array_sum($at));
        continue;
    }
    lab_show('HGETs of masters and replicas', $at);
    lab_show('each replica has answered', $all);
}

echo "-- commands that may write, and commands for all nodes, go to masters\n";
$redis = new OneHop\Redis('alpha', $config('replica'));
$forget();
$redis->set('key:1', 'new');
lab_show('a transaction', $redis->multi()->get('key:1')->set('key:1', 'key:1')->exec());
lab_show('a script', $redis->eval('return redis.call("get", KEYS[1])', ['key:1'], 1));
lab_show('keys', $redis->dbSize());
$iterator = null;
$scanned = [];
while ($found = $redis->scan($iterator, 'key:*', 500)) {
    array_push($scanned, ...$found);
}
lab_show('scanned', count(array_unique($scanned)));
lab_show('commands of replicas', executed(array_keys($replicas), 'dbsize')
    + executed(array_keys($replicas), 'scan') + executed(array_keys($replicas), 'multi')
    + executed(array_keys($replicas), 'eval'));
$nodes = [];
foreach (OneHop\Topology::status() as $pool) {
    foreach (count($pool["nodes"]) === 6 ? $pool["nodes"] : [] as $node) {
        $nodes[] = [$node['role'], $node['master']];
    }

}
lab_show("nodes", array_slice($nodes, 0, 6));
$topology = new OneHop\Topology('alpha', $config('replica'));
$plain = new OneHop\Topology('alpha', lab_config($masters));
lab_show('the same place', $topology->fingerprint() === $plain->fingerprint());

echo "-- a replica of the first node dies, then the other\n";
foreach (['prefer_replica', 'lowest_latency', 'replica'] as $from) {
    $clients[$from] = new OneHop\Redis('alpha', $config($from));
    $clients[$from]->mGet($keys);
}
['node-0' => $key] = lab_key_of_each($config('replica'));
$writer->set($key, $key);
$settle();
foreach (array_slice(array_keys($replicas), 0, 2) as $dead => $port) {
    Lab::stop($replicas[$port]);
    foreach (['prefer_replica', 'lowest_latency'] as $from) {
        $right = 0;
        for ($i = 0; $i < 20; $i++) {
            $right += $clients[$from]->get($key) === $key;
        }
        $batch = $clients[$from]->pipeline();
        foreach ($keys as $each) {
            $batch->get($each);
        }
        lab_show("$from, right of 20", [$right, $batch->exec() === $keys]);
    }
    if ($dead === 1) {
        lab_tell(fn () => $clients['replica']->get($key));
    }
}
lab_show('a write', $clients['replica']->set($key, 'still'));

echo "-- a file without those replicas\n";
$config('prefer_replica', array_slice($lines, 2));
usleep(1100000);
lab_show('read', $clients['prefer_replica']->get($key));
$config('replica', array_slice($lines, 2));
usleep(1100000);
lab_tell(fn () => $clients['replica']->get($key));
?>
--EXPECT--
master: right of 3000: 3000
HGETs of masters and replicas: [1000,0]
each replica has answered: false
prefer_replica: right of 3000: 3000
HGETs of masters and replicas: [0,1000]
each replica has answered: true
replica: right of 3000: 3000
HGETs of masters and replicas: [0,1000]
each replica has answered: true
lowest_latency: right of 3000: 3000
HGETs: 1000
-- commands that may write, and commands for all nodes, go to masters
a transaction: ["new",true]
a script: "key:1"
keys: 2000
scanned: 1000
commands of replicas: 0
nodes: [[null,null],[null,null],["replica","node-1"],["replica","node-1"],["replica","node-0"],["replica","node-0"]]
the same place: true
-- a replica of the first node dies, then the other
prefer_replica, right of 20: [20,true]
lowest_latency, right of 20: [20,true]
prefer_replica, right of 20: [20,true]
lowest_latency, right of 20: [20,true]
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: false
  Connection refused while connecting, node 127.0.0.1:PORT, server pool alpha: the command was not sent; check that the node is running and reachable
a write: true
-- a file without those replicas
read: "still"
OneHop\NodeDown, node node-0, may have executed: false
  No replica of this node can answer, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; add a replica, or set "read_from: prefer_replica"
