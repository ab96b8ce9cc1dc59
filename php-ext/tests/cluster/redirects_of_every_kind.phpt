--TEST--
Redirects of a Redis Cluster of every kind: without a host, to a hostname, in a circle, by the thousand; and a cluster that is down for a while
--DESCRIPTION--
Not beneath valgrind: it moves ten thousand keys.
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3);
[$a, $b, $c] = $cluster->ports;
$config = $cluster->config(['timeout' => 5000]);
$redis = new OneHop\Redis('alpha', $config);
/* What a node says about a key, as plain phpredis is told. */
$sentence = static function (int $port, string $key): string {
    try {
        lab_plain($port)->get($key);
        return 'nothing';
    } catch (RedisException $moved) {
        return preg_replace('/\d+$/', 'PORT', $moved->getMessage());
    }
};
$names = static fn (string $config): array => array_map(static fn ($node) => preg_replace('/\d+$/', 'PORT', $node->name), (new OneHop\Topology('alpha', $config))->nodes());

echo "endpoints that are left open\n";
foreach (['unknown-endpoint' => '', 'hostname' => '?'] as $type => $host) {
    foreach ($cluster->ports as $port) {
        $cluster->call($port, 'CONFIG', 'SET', 'cluster-preferred-endpoint-type', $type);
    }
    $slot = $host ? 11 : 10;
    $redis->set($key = lab_key_in($slot), "in $slot");
    $cluster->move($slot, $a, $c);
    echo "$type: ", $sentence($a, $key), "\n";
    $cluster->forgetStatistics();
    var_dump($redis->get($key), $redis->get($key), $cluster->errors('MOVED') <= 1);
    $new = new OneHop\Redis('alpha', $cluster->config([], [$b]));
    var_dump($new->get($key));
}

echo "hostnames: those that are announced while clients know addresses\n";
foreach ($cluster->ports as $port) {
    $cluster->call($port, 'CONFIG', 'SET', 'cluster-announce-hostname', 'localhost');
}
foreach ($cluster->ports as $port) {
    LabCluster::until(static fn () => substr_count(json_encode($cluster->call($port, 'CLUSTER', 'SLOTS')), '"localhost"') >= 3, 'hostnames');
}
$redis->set($key = lab_key_in(12), 'in 12');
$cluster->move(12, $a, $c);
echo $sentence($a, $key), "\n";
var_dump($redis->get($key), $redis->pipeline()->set($key, 'again')->get($key)->exec());
echo implode(' ', $names($config)), "\n";
var_dump($redis->mGet([lab_key_in(10), lab_key_in(11), $key]));

echo "ASK by the thousand: one more hop each, and nobody asks for the map\n";
$keys = array_map(static fn ($i) => lab_key_in(500, ":$i"), range(0, 9999));
foreach (array_chunk($keys, 1000) as $chunk) {
    $redis->mSet(array_combine($chunk, $chunk));
}
$cluster->beginMove(500, $a, $b);
for ($gone = 0; $gone < 5000; $gone += 1000) {
    $cluster->call($a, 'MIGRATE', '127.0.0.1', (string) $b, '', '0', '5000', 'KEYS', ...array_slice($keys, $gone, 1000));
}
$names($config); /* Whatever is due is asked now. */
$cluster->forgetStatistics();
$wrong = 0;
foreach (array_chunk($keys, 500) as $chunk) {
    $pipeline = $redis->pipeline();
    foreach ($chunk as $key) {
        $pipeline->get($key);
    }
    $wrong += $pipeline->exec() !== $chunk;
}
foreach (array_slice($keys, 4990, 20) as $key) {
    $wrong += $redis->get($key) !== $key;
}
printf("%d wrong, %d ASK, %d MOVED, %s\n", $wrong, $cluster->errors('ASK'), $cluster->errors('MOVED'), $cluster->questions() <= 2 ? 'no question of its own' : $cluster->questions() . ' questions');
$cluster->moveKeys(500, $a, $b);
$cluster->endMove(500, $a, $b);
$pipeline = $redis->pipeline();
foreach ($keys as $key) {
    $pipeline->get($key);
}
var_dump($pipeline->exec() === $keys);

echo "a circle ends after five hops, and names both nodes\n";
$key = lab_key_in(300);
$redis->get($key);
$cluster->forgetStatistics();
$redirects = static fn () => array_column(array_column(OneHop\Topology::status(), 'nodes', 'path')[$config], 'redirects', 'node')["localhost:$b"];
$before = $redirects();
$cluster->call($a, 'CLUSTER', 'SETSLOT', '300', 'NODE', $cluster->id($b));
try {
    echo $redis->get($key), "is served\n";
} catch (OneHop\NodeDown $exception) {
    var_dump($cluster->errors('MOVED') <= 6, str_contains($exception->getMessage(), "127.0.0.1:$a") || str_contains($exception->getMessage(), "localhost:$a"),
        str_contains($exception->getMessage(), "localhost:$b"));
    echo $redirects() > $before ? "the other node's redirects are counted as its own\n" : "all redirects are the first node's\n";
    echo preg_replace('/ \(node .*/', '', $exception->getMessage()), "\n";
}
$cluster->call($a, 'CLUSTER', 'SETSLOT', '300', 'NODE', $cluster->id($a));
foreach ($cluster->ports as $port) {
    LabCluster::until(static fn () => $cluster->owns($port, 300, $a), 'owner of the slot');
}
var_dump($redis->set($key, 'mended'));

echo "down: a call waits as long as it may, and is served as soon as that can be\n";
foreach ($cluster->ports as $port) {
    $cluster->call($port, 'CLUSTER', 'DELSLOTS', '77');
}
LabCluster::until(static fn () => str_contains($cluster->call($a, 'CLUSTER', 'INFO'), 'cluster_state:fail'), 'bad state');
$short = new OneHop\Redis('alpha', $cluster->config(['timeout' => 300]));
try {
    $short->get($key);
} catch (OneHop\NodeDown $exception) {
    echo strtok($exception->getMessage(), '('), "\n";
}
Lab::start([PHP_BINARY, '-r', 'usleep(400000); exec($argv[1]);', '--', "redis-cli -p $b CLUSTER ADDSLOTS 77"]);
var_dump($redis->get($key));

echo "addresses of IPv6\n";
$six = new LabCluster(2, 0, '--bind', '127.0.0.1', '::1');
[$a, $b] = $six->ports;
$config = $six->config();
$redis = new OneHop\Redis('alpha', $config);
$redis->set($key = lab_key_in(10), 'six');
echo implode(' ', $names($config)), "\n";
$six->move(10, $a, $b);
echo $sentence($a, $key), "\n";
var_dump($redis->get($key), $redis->mGet([$key, lab_key_in(9000)]));
?>
--EXPECT--
endpoints that are left open
unknown-endpoint: MOVED 10 :PORT
string(5) "in 10"
string(5) "in 10"
bool(true)
string(5) "in 10"
hostname: MOVED 11 ?:PORT
string(5) "in 11"
string(5) "in 11"
bool(true)
string(5) "in 11"
hostnames: those that are announced while clients know addresses
MOVED 12 localhost:PORT
string(5) "in 12"
array(2) {
  [0]=>
  bool(true)
  [1]=>
  string(5) "again"
}
localhost:PORT localhost:PORT localhost:PORT
array(3) {
  [0]=>
  string(5) "in 10"
  [1]=>
  string(5) "in 11"
  [2]=>
  string(5) "again"
}
ASK by the thousand: one more hop each, and nobody asks for the map
0 wrong, 5010 ASK, 0 MOVED, no question of its own
bool(true)
a circle ends after five hops, and names both nodes
bool(true)
bool(true)
bool(true)
the other node's redirects are counted as its own
The cluster cannot serve this now: the nodes send it to each other
bool(true)
down: a call waits as long as it may, and is served as soon as that can be
The cluster cannot serve this now: there is no time left to try again 
string(6) "mended"
addresses of IPv6
::1:PORT ::1:PORT
MOVED 10 ::1:PORT
string(3) "six"
array(2) {
  [0]=>
  string(3) "six"
  [1]=>
  bool(false)
}
