--TEST--
Redirects work without a host, to hostnames and by the thousand; a circle of them ends
--DESCRIPTION--
Not beneath valgrind: it moves ten thousand keys.
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3);
[$a, $b, $c] = $cluster->ports;
$config = $cluster->config();
$redis = new OneHop\Redis('alpha', $config);
/* What a node answers to plain phpredis for a key. */
$sentence = static function (int $port, string $key): string {
    try {
        lab_plain($port)->get($key);
        return 'nothing';
    } catch (RedisException $moved) {
        return preg_replace('/\d+$/', 'PORT', $moved->getMessage());
    }
};
$names = static fn (string $config): array => array_map(
    static fn ($node) => preg_replace('/\d+$/', 'PORT', $node->name),
    (new OneHop\Topology('alpha', $config))->nodes(),
);

echo "endpoints without a host\n";
foreach (['unknown-endpoint' => '', 'hostname' => '?'] as $type => $host) {
    foreach ($cluster->ports as $port) {
        $cluster->call($port, 'CONFIG', 'SET', 'cluster-preferred-endpoint-type', $type);
    }
    $slot = $host ? 11 : 10;
    $redis->set($key = lab_key_in($slot), "in $slot");
    $cluster->move($slot, $a, $c);
    echo "$type: ", $sentence($a, $key), "\n";
    $cluster->forgetStatistics();
    lab_show('GET', $redis->get($key));
    lab_show('GET again', $redis->get($key));
    lab_show('redirected once at most', $cluster->errors('MOVED') <= 1);
    $new = new OneHop\Redis('alpha', $cluster->config([], [$b]));
    lab_show('GET by a new client', $new->get($key));
}

echo "hostnames that are announced while clients know addresses\n";
foreach ($cluster->ports as $port) {
    $cluster->call($port, 'CONFIG', 'SET', 'cluster-announce-hostname', 'localhost');
}
foreach ($cluster->ports as $port) {
    /* Until a node hears the hostname of another, it answers "?" for it. */
    Lab::until(
        static fn () => !str_contains(
            json_encode($cluster->call($port, 'CLUSTER', 'SLOTS')),
            '"?"',
        ),
        'hostnames',
    );
}
$redis->set($key = lab_key_in(12), 'in 12');
$cluster->move(12, $a, $c);
echo $sentence($a, $key), "\n";
lab_show('GET', $redis->get($key));
lab_show('SET and GET in a pipeline', $redis->pipeline()->set($key, 'again')->get($key)->exec());
echo implode(' ', $names($config)), "\n";
lab_show('MGET of the keys that moved', $redis->mGet([lab_key_in(10), lab_key_in(11), $key]));

echo "thousands of ASK: one more hop each, and no request for the map\n";
$keys = array_map(static fn ($i) => lab_key_in(500, ":$i"), range(0, 9999));
foreach (array_chunk($keys, 1000) as $chunk) {
    $redis->mSet(array_combine($chunk, $chunk));
}
$cluster->beginMove(500, $a, $b);
for ($gone = 0; $gone < 5000; $gone += 1000) {
    $cluster->call($a, 'MIGRATE', '127.0.0.1', (string) $b, '', '0', '5000', 'KEYS', ...array_slice(
        $keys,
        $gone,
        1000,
    ));
}
$names($config); /* Fetches the map now if that is due. */
$cluster->forgetStatistics();
$wrong = $slow = 0;
/* A call that waits for half a second requests the map. */
$check = static function (callable $call, mixed $expected) use (&$wrong, &$slow): void {
    $begin = microtime(true);
    $wrong += $call() !== $expected;
    $slow += microtime(true) - $begin > 0.4;
};
foreach (array_chunk($keys, 500) as $chunk) {
    $pipeline = $redis->pipeline();
    foreach ($chunk as $key) {
        $pipeline->get($key);
    }
    $check($pipeline->exec(...), $chunk);
}
foreach (array_slice($keys, 4990, 20) as $key) {
    $check(static fn () => $redis->get($key), $key);
}
printf(
    "%d wrong, %d ASK, %d MOVED, %s\n",
    $wrong,
    $cluster->errors('ASK'),
    $cluster->errors('MOVED'),
    $cluster->questions() <= 2 + 3 * $slow
        ? 'no request of its own'
        : $cluster->questions() . ' questions',
);
$cluster->moveKeys(500, $a, $b);
$cluster->endMove(500, $a, $b);
$pipeline = $redis->pipeline();
foreach ($keys as $key) {
    $pipeline->get($key);
}
lab_show('once all have moved, each GET gives its value', $pipeline->exec() === $keys);

echo "a circle ends after five hops; the failure names both nodes\n";
$key = lab_key_in(300);
$redis->get($key);
$cluster->forgetStatistics();
$redirects = static fn () => array_column(
    array_column(OneHop\Topology::status(), 'nodes', 'path')[$config],
    'redirects',
    'node',
)["localhost:$b"];
$before = $redirects();
$cluster->call($a, 'CLUSTER', 'SETSLOT', '300', 'NODE', $cluster->id($b));
try {
    echo $redis->get($key), "is served\n";
} catch (OneHop\NodeDown $exception) {
    $message = $exception->getMessage();
    lab_show('redirected 6 times at most', $cluster->errors('MOVED') <= 6);
    lab_show(
        'the message names one node',
        str_contains($message, "127.0.0.1:$a") || str_contains($message, "localhost:$a"),
    );
    lab_show('the message names the other node', str_contains($message, "localhost:$b"));
    echo $redirects() > $before
        ? "the other node's redirects are counted as its own\n"
        : "all redirects are the first node's\n";
    echo preg_replace('/ \(node .*/', '', $message), "\n";
}
$cluster->call($a, 'CLUSTER', 'SETSLOT', '300', 'NODE', $cluster->id($a));
foreach ($cluster->ports as $port) {
    Lab::until(static fn () => $cluster->owns($port, 300, $a), 'owner of the slot');
}
lab_show('SET once the nodes agree', $redis->set($key, 'mended'));

echo "the cluster is down: a call waits within its deadline and is served as soon as possible\n";
foreach ($cluster->ports as $port) {
    $cluster->call($port, 'CLUSTER', 'DELSLOTS', '77');
}
Lab::until(
    static fn () => str_contains($cluster->call($a, 'CLUSTER', 'INFO'), 'cluster_state:fail'),
    'bad state',
);
$short = new OneHop\Redis('alpha', $cluster->config(['timeout' => 300]));
Lab::until(static function () use ($short, $key, &$message) {
    try {
        $short->get($key);
    } catch (OneHop\NodeDown $exception) {
        $message = $exception->getMessage();
    } catch (OneHop\DeadlineExceeded) { /* On a busy machine the last try may have no answer. */
    }
    return str_contains($message, 'cannot serve this now: there is');
}, 'call without time');
echo strtok($message, '('), "\n";
Lab::start([
    PHP_BINARY, '-r', 'usleep(400000); exec($argv[1]);', '--',
    "redis-cli -p $b CLUSTER ADDSLOTS 77",
]);
lab_show('GET that waits', $redis->get($key));

echo "IPv6 addresses\n";
$six = new LabCluster(2, 0, '--bind', '127.0.0.1', '::1');
[$a, $b] = $six->ports;
$config = $six->config();
$redis = new OneHop\Redis('alpha', $config);
$redis->set($key = lab_key_in(10), 'six');
echo implode(' ', $names($config)), "\n";
$six->move(10, $a, $b);
echo $sentence($a, $key), "\n";
lab_show('GET', $redis->get($key));
lab_show('MGET with an unset key', $redis->mGet([$key, lab_key_in(9000)]));
?>
--EXPECT--
endpoints without a host
unknown-endpoint: MOVED 10 :PORT
GET: "in 10"
GET again: "in 10"
redirected once at most: true
GET by a new client: "in 10"
hostname: MOVED 11 ?:PORT
GET: "in 11"
GET again: "in 11"
redirected once at most: true
GET by a new client: "in 11"
hostnames that are announced while clients know addresses
MOVED 12 localhost:PORT
GET: "in 12"
SET and GET in a pipeline: [true,"again"]
localhost:PORT localhost:PORT localhost:PORT
MGET of the keys that moved: ["in 10","in 11","again"]
thousands of ASK: one more hop each, and no request for the map
0 wrong, 5010 ASK, 0 MOVED, no request of its own
once all have moved, each GET gives its value: true
a circle ends after five hops; the failure names both nodes
redirected 6 times at most: true
the message names one node: true
the message names the other node: true
the other node's redirects are counted as its own
The cluster cannot serve this now: the nodes redirect it to each other
SET once the nodes agree: true
the cluster is down: a call waits within its deadline and is served as soon as possible
The cluster cannot serve this now: there is no time left to try again 
GET that waits: "mended"
IPv6 addresses
::1:PORT ::1:PORT
MOVED 10 ::1:PORT
GET: "six"
MGET with an unset key: ["six",false]
