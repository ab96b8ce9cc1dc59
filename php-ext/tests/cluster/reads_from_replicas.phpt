--TEST--
read_from: replicas answer read-only commands; if they fail, their master answers
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3, 1, '--cluster-require-full-coverage', 'no');
$masters = array_slice($cluster->ports, 0, 3);
$replicas = array_slice($cluster->ports, 3);
$keys = array_map(static fn ($i) => "key:$i", range(0, 99));
$plain = new OneHop\Redis('alpha', $cluster->config());
$plain->mSet(array_combine($keys, $keys));
$cluster->awaitReplicas();
$cluster->awaitOnline();

/* How many reads and how many READONLY the nodes at these ports have received. */
$seen = static function (array $ports) use ($cluster): string {
    $reads = $said = 0;
    foreach ($ports as $port) {
        $statistics = $cluster->call($port, 'INFO', 'commandstats');
        $reads += preg_match('/cmdstat_get:calls=(\d+)/', $statistics, $match)
            ? (int) $match[1]
            : 0;
        $reads += preg_match('/cmdstat_mget:calls=(\d+)/', $statistics, $match) ? 1 : 0;
        $said += preg_match('/cmdstat_readonly:calls=(\d+)/', $statistics, $match)
            ? (int) $match[1]
            : 0;
    }
    return "$reads reads, $said READONLY";
};
$read = static function (OneHop\Redis $redis) use ($keys): array {
    $wrong = 0;
    foreach ($keys as $key) {
        $wrong += $redis->get($key) !== $key;
    }
    $pipeline = $redis->pipeline();
    foreach ($keys as $key) {
        $pipeline->get($key);
    }
    return [$wrong, $pipeline->exec() === $keys, $redis->mGet($keys) === $keys];
};
foreach (['master', 'prefer_replica', 'replica', 'same_zone'] as $from) {
    $redis = new OneHop\Redis('alpha', $cluster->config(['read_from' => $from] + (
        $from === 'same_zone' ? ['zone' => 'nowhere'] : []
    )));
    $cluster->forgetStatistics();
    echo "$from: ", json_encode($read($redis)), ' masters: ', $seen($masters), ', replicas: ',
        $seen($replicas), "\n";
    $redis->set('key:1', 'written');
    $redis->multi()->get('key:1')->set('key:1', 'key:1')->exec();
}
$fastest = $read(new OneHop\Redis('alpha', $cluster->config(['read_from' => 'lowest_latency'])));
echo 'lowest_latency: ', json_encode($fastest), "\n";

echo "a replica and a master are in the zone\n";
$near = [$replicas[0], $masters[1]];
foreach ($near as $port) {
    $cluster->call($port, 'CONFIG', 'SET', 'cluster-announce-hostname', 'localhost');
}
foreach ($cluster->ports as $port) {
    Lab::until(
        static fn ()
            => substr_count($cluster->call($port, 'CLUSTER', 'NODES'), ',localhost ') === 2,
        'hostnames',
    );
    $cluster->call($port, 'CONFIG', 'SET', 'cluster-preferred-endpoint-type', 'hostname');
}
$zone = new OneHop\Redis(
    'alpha',
    $cluster->config(['read_from' => 'same_zone', 'zone' => 'localhost']),
);
$cluster->forgetStatistics();
lab_show('same_zone', $read($zone));
$answered = array_filter($cluster->ports, static fn ($port) => $seen([
    $port,
]) !== '0 reads, 0 READONLY');
$expected = [
    $replicas[0],
    $masters[1],
    ...array_filter($replicas, static fn ($port) => $cluster->masters[$port] === $masters[2]),
];
sort($answered);
sort($expected);
echo $answered === $expected
    ? "a node in the zone answers, where there is one\n"
    : json_encode([$answered, $expected]) . "\n";

echo "a replica dies\n";
$dying = $replicas[0];
$prefer = new OneHop\Redis('alpha', $cluster->config(['read_from' => 'prefer_replica']));
$only = new OneHop\Redis('alpha', $cluster->config(['read_from' => 'replica']));
$prefer->get('key:1');
$mine = array_values(array_filter(
    $keys,
    static fn ($key) => $cluster->owner(lab_slot($key), $masters[0]) === $cluster->masters[$dying],
));
$cluster->kill($dying);
lab_show('prefer_replica', $read($prefer));
try {
    $only->get($mine[0]);
} catch (OneHop\NodeDown) {
    echo "NodeDown\n";
}
?>
--EXPECT--
master: [0,true,true] masters: 203 reads, 0 READONLY, replicas: 0 reads, 0 READONLY
prefer_replica: [0,true,true] masters: 0 reads, 0 READONLY, replicas: 203 reads, 3 READONLY
replica: [0,true,true] masters: 0 reads, 0 READONLY, replicas: 203 reads, 0 READONLY
same_zone: [0,true,true] masters: 0 reads, 0 READONLY, replicas: 203 reads, 0 READONLY
lowest_latency: [0,true,true]
a replica and a master are in the zone
same_zone: [0,true,true]
a node in the zone answers, where there is one
a replica dies
prefer_replica: [0,true,true]
NodeDown
