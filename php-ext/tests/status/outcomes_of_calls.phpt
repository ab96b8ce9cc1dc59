--TEST--
Topology::status() counts the outcomes of the calls of each node, over all workers
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/** The sums over all nodes of server pool alpha, or the numbers of one node. */
function numbers(array $pools, ?string $node = null): array
{
    $sums = [];
    foreach ($pools[0]['nodes'] as $each) {
        if ($node === null || $each['node'] === $node) {
            foreach ($each as $name => $value) {
                $sums[$name] = is_int($value) ? ($sums[$name] ?? 0) + $value : $value;
            }
            $sums['timed'] = ($sums['timed'] ?? 0) + $each['latency']['count'];
        }
    }
    return $sums;
}

function show(array $numbers, string ...$names): void
{
    echo implode(', ', array_map(static fn ($name) => "$name {$numbers[$name]}", $names)), "\n";
}

lab_show('before any client', OneHop\Topology::status());
$ports = [lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports);
$redis = new OneHop\Redis('alpha', $config);

echo "\nbefore the first call: ";
$pools = OneHop\Topology::status();
show(numbers($pools), 'calls', 'leases', 'connects');
[$pool] = $pools;
foreach (['pool', 'generation', 'distribution', 'hash'] as $name) {
    lab_show($name, $pool[$name]);
}
lab_show('it has the path of the configuration', $pool['path'] === $config);
lab_show(
    'it has the fingerprint of the topology',
    $pool['fingerprint'] === (new OneHop\Topology('alpha', $config))->fingerprint(),
);
echo implode(' ', array_column($pool['nodes'], 'node')), ', shares add up to ',
    round(array_sum(array_column($pool['nodes'], 'share')), 3), "\n";
lab_show('it has the address of each node', array_column($pool['nodes'], 'address') === array_map(
    static fn ($port) => "127.0.0.1:$port",
    $ports,
));

$started = time();
$times = static fn (array $node): array =>
    [$node['since'] ?? null, $node['answered_at'], $node['errors_recent']];
lab_show('a node that was never used', $times($pool['nodes'][0]));

echo "\ncommands: ";
$keys = lab_key_of_each($config);
$bytes = [];
for ($i = 0; $i < 10; $i++) {
    $redis->set($keys['node-0'], 'value');
    /* The first request has an introduction in front of it. */
    $bytes[] = numbers(OneHop\Topology::status(), 'node-0');
}
show(
    numbers(OneHop\Topology::status(), 'node-0'),
    'calls',
    'timed',
    'errors',
    'leases',
    'waits',
    'connects',
);
$request = strlen(
    "*3\r\n\$3\r\nSET\r\n\$" . strlen($keys['node-0'])
        . "\r\n{$keys['node-0']}\r\n\$5\r\nvalue\r\n",
);
lab_show(
    'bytes sent are those of nine requests',
    end($bytes)['bytes_sent'] - $bytes[0]['bytes_sent'] === 9 * $request,
);
lab_show('bytes received', end($bytes)['bytes_received'] - $bytes[0]['bytes_received']);
echo 'an error that a node answers: ';
try {
    $redis->incr($keys['node-0']);
    $redis->lPush($keys['node-0'], 'x');
} catch (RedisException) {
}
show(numbers(OneHop\Topology::status(), 'node-0'), 'calls', 'errors');
$node = OneHop\Topology::status()[0]['nodes'][0];
lab_show(
    'it says since when, and when the node answered',
    $started <= $node['since'] && $node['since'] <= $node['answered_at']
        /* time() may be behind at a full second, microtime() is not. */
        && $node['answered_at'] <= (int) microtime(true),
);
lab_show('and that none of its calls failed lately', $node['errors_recent']);
echo 'a batch on two nodes: ';
$redis->pipeline()->get($keys['node-1'])->get($keys['node-2'])->get($keys['node-1'])->exec();
show(numbers(OneHop\Topology::status(), 'node-1'), 'calls', 'timed');
echo 'a blocking command is not timed: ';
$redis->del($keys['node-1']);
$redis->blPop([$keys['node-1']], 1);
show(numbers(OneHop\Topology::status(), 'node-1'), 'calls', 'timed');
echo 'a transaction: ';
$redis->multi();
$redis->set($keys['node-2'], '1');
$redis->exec();
show(numbers(OneHop\Topology::status(), 'node-2'), 'leases', 'connects');
$latency = OneHop\Topology::status()[0]['nodes'][0]['latency'];
lab_show('latency: p50 is above 0', $latency['p50'] > 0);
lab_show('p99 is not below p50', $latency['p99'] >= $latency['p50']);
lab_show('the sum is above 0', $latency['sum'] > 0);
lab_show('the first bound', array_key_first($latency['below']));
lab_show('the last bound', array_key_last($latency['below']));
lab_show('all calls are below the last bound', end($latency['below']) === $latency['count']);
lab_show('connections', OneHop\Topology::status()[0]['nodes'][0]['connections']);

echo "\na node that is down\n";
/*
 * The first rest may last only 50 ms. If the machine is too slow for that, another node is tried.
 */
$tries = 0;
do {
    $bad = lab_config([$ports[0], Lab::port()]);
    $broken = new OneHop\Redis('alpha', $bad);
    $key = lab_key_of_each($bad)['node-1'];
    $begin = microtime(true);
    for ($i = 0; $i < 2; $i++) {
        try {
            $broken->get($key);
        } catch (OneHop\NodeDown) {
        }
    }
    $pools = OneHop\Topology::status();
} while (microtime(true) - $begin > 0.04 && ++$tries < 20);
lab_show('there is one server pool more', count($pools) === $tries + 2);
[$up, $down] = end($pools)['nodes'];
lab_show('up', [$up['state'], $up['rests_ms'], $up['failures'], $up['reason']]);
lab_show(
    'down',
    [$down['state'], is_int($down['rests_ms']), $down['failures'], $down['reason']],
);
show($down, 'calls', 'errors', 'errors_recent', 'leases', 'connects');
lab_show('it has never answered', $down['answered_at']);

echo "\na configuration that changes: the numbers stay\n";
ini_set('error_log', Lab::file('notices'));
$calls = numbers(OneHop\Topology::status(), 'node-0')['calls'];
usleep(1100000);
lab_config([...$ports, lab_redis()], [], basename($config));
new OneHop\Redis('alpha', $config);
$pools = OneHop\Topology::status();
lab_show('generation', $pools[0]['generation']);
lab_show('nodes', count($pools[0]['nodes']));
lab_show('calls of a node are as many as before', numbers($pools, 'node-0')['calls'] === $calls);

echo "\nworkers count together\n";
$page = lab_fpm([], 4);
$work = '<?php
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    for ($i = 0; $i < 25; $i++) {
        $redis->get(md5("$i"));
    }
    echo getmypid();';
$answers = $page($work, ['config' => $config], 40);
$pools = json_decode($page('<?php echo json_encode(OneHop\Topology::status());'), true);
show(numbers($pools), 'calls', 'errors', 'leases');
foreach ($pools[0]['nodes'] as $node) {
    $connections = $node['connections'];
    echo $node['node'], ': ', json_encode([
        $connections['leased'], $connections['idle'] >= 1 && $connections['idle'] <= 4,
        $connections['max'], $connections['scope'], $node['connects'] <= 40,
    ]), "\n";
}

echo "\nno connection is free, and the call fails\n";
$narrow = lab_config([$ports[0]], ['pool_size' => 1, 'timeout' => 1500]);
$page('<?php
    $keeps = new OneHop\Redis("alpha", $_GET["config"]);
    $keeps->multi()->get("key");
    try {
        (new OneHop\Redis("alpha", $_GET["config"]))->get("key");
    } catch (OneHop\PoolExhausted) {
    }
    $keeps->discard();', ['config' => $narrow]);
$pools = json_decode($page('<?php echo json_encode(OneHop\Topology::status());'), true);
show(end($pools)['nodes'][0], 'waits');

echo "\nwithout shared memory\n";
echo lab_run('<?php
    $redis = new OneHop\Redis("alpha", $argv[1]);
    for ($i = 0; $i < 30; $i++) {
        $redis->get(md5("$i"));
    }
    $nodes = OneHop\Topology::status()[0]["nodes"];
    $idle = array_column(array_column($nodes, "connections"), "idle");
    echo array_sum(array_column($nodes, "calls")), " ", array_sum($idle), " ";
    echo implode(" ", array_column($nodes, "state")), "\n";',
    [$config], [], ['onehop.shared_memory' => '0']);
?>
--EXPECT--
before any client: []

before the first call: calls 0, leases 0, connects 0
pool: "alpha"
generation: 1
distribution: "ketama"
hash: "fnv1a_64"
it has the path of the configuration: true
it has the fingerprint of the topology: true
node-0 node-1 node-2, shares add up to 1
it has the address of each node: true
a node that was never used: [null,null,0]

commands: calls 10, timed 10, errors 0, leases 10, waits 0, connects 1
bytes sent are those of nine requests: true
bytes received: 45
an error that a node answers: calls 12, errors 0
it says since when, and when the node answered: true
and that none of its calls failed lately: 0
a batch on two nodes: calls 1, timed 1
a blocking command is not timed: calls 3, timed 2
a transaction: leases 2, connects 1
latency: p50 is above 0: true
p99 is not below p50: true
the sum is above 0: true
the first bound: 16
the last bound: 16777216
all calls are below the last bound: true
connections: {"leased":0,"idle":1,"max":16,"scope":"process"}

a node that is down
there is one server pool more: true
up: ["up",0,0,null]
down: ["resting",true,1,"Connection refused while connecting"]
calls 2, errors 2, errors_recent 2, leases 0, connects 1
it has never answered: null

a configuration that changes: the numbers stay
generation: 2
nodes: 4
calls of a node are as many as before: true

workers count together
calls 1000, errors 0, leases 1000
node-0: [0,true,16,"host",true]
node-1: [0,true,16,"host",true]
node-2: [0,true,16,"host",true]
node-3: [0,true,16,"host",true]

no connection is free, and the call fails
waits 1

without shared memory
30 4 up up up up
