--TEST--
A blocking command goes on at the new master, with the time that is left; CLIENT UNBLOCK ends it
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(1, 1);
$redis = new OneHop\Redis('alpha', $cluster->config());
$redis->set('key', 'value');
$cluster->awaitReplicas();
foreach ($cluster->ports as $port) {
    $cluster->call($port, 'CONFIG', 'SET', 'slowlog-log-slower-than', '0');
}

/**
 * Starts a process that sends a failover once a caller waits at the master, and $words once the
 * caller waits at the new master, too. TAKEOVER asks for no votes, because a master gives its
 * vote only once in some seconds.
 */
function meanwhile(array $ports, string $how, string ...$words): void
{
    Lab::start([
        PHP_BINARY,
        ...lab_php_arguments(),
        '-r',
        '
            $ports = explode(",", $argv[1]);
            foreach ($ports as $port) {
                $redis = new Redis();
                $redis->connect("127.0.0.1", (int) $port);
                $nodes[$redis->rawCommand("ROLE")[0]] = $redis;
            }
            $waits = fn (string $role) => $nodes[$role]->info("clients")["blocked_clients"] > 0;
            while (!$waits("master")) {
                usleep(1000);
            }
            usleep(300000);
            $nodes["slave"]->rawCommand(...explode(" ", $argv[2]));
            while (!$waits("slave")) {
                usleep(1000);
            }
            $nodes["slave"]->rawCommand(...array_slice($argv, 3));',
        '--',
        implode(',', $ports),
        $how,
        ...$words,
    ]);
}

/** The timeout that the present master was sent: "less" if it is a part of $whole. */
function left(LabCluster $cluster, string $name, int $at, int $whole): mixed
{
    foreach ($cluster->ports as $port) {
        if ($cluster->call($port, 'ROLE')[0] === 'master') {
            foreach ($cluster->call($port, 'SLOWLOG', 'GET', '100') as [, , , $words]) {
                if (strcasecmp($words[0], $name) === 0) {
                    $left = (float) $words[$at];
                    return $left > $whole * 0.1 && $left < $whole * 0.995 ? 'less' : $words[$at];
                }
            }
        }
    }
    return 'nothing';
}

/* Both nodes must agree on the roles before they exchange them once more. */
function settle(LabCluster $cluster): void
{
    Lab::until(function () use ($cluster) {
        $roles = array_map(fn ($port) => $cluster->call($port, 'ROLE'), $cluster->ports);
        sort($roles);
        return $roles[0][0] === 'master' && $roles[1][0] === 'slave'
            && $roles[1][3] === 'connected';
    }, 'replica');
}

$takeover = 'CLUSTER FAILOVER TAKEOVER';
meanwhile($cluster->ports, 'CLUSTER FAILOVER', 'RPUSH', 'list', '1');
lab_show('blPop', $redis->blPop(['list'], 30));
lab_show('timeout', left($cluster, 'BLPOP', 2, 30));
settle($cluster);
meanwhile($cluster->ports, $takeover, 'RPUSH', 'list', '2');
lab_show('brPop without an end', $redis->brPop(['list'], 0));
lab_show('timeout', left($cluster, 'BRPOP', 2, 30));
settle($cluster);
meanwhile($cluster->ports, $takeover, 'XADD', 'stream', '1-1', 'f', 'v');
lab_show('xRead', $redis->xRead(['stream' => '$'], 1, 30000));
lab_show('timeout', left($cluster, 'XREAD', 4, 30000));

echo "-- CLIENT UNBLOCK\n";
$redis->set('key', 'value'); /* The map is right again. */
$master = array_values(
    array_filter($cluster->ports, fn ($port) => $cluster->call($port, 'ROLE')[0] === 'master'),
)[0];
Lab::start([
    PHP_BINARY,
    ...lab_php_arguments(),
    '-r',
    '
        $redis = new Redis();
        $redis->connect("127.0.0.1", (int) $argv[1]);
        do {
            usleep(1000);
            $list = $redis->rawCommand("CLIENT", "LIST");
        } while (!preg_match("/id=(\d+) .* cmd=blpop /", $list, $id));
        $redis->rawCommand("CLIENT", "UNBLOCK", $id[1], "ERROR");',
    '--',
    (string) $master,
]);
try {
    var_dump($redis->blPop(['{key}nothing'], 30));
} catch (OneHop\DeadlineExceeded $e) {
    echo lab_hide($e->getMessage()), "\n";
    lab_show('may have executed', $e->mayHaveExecuted());
}
lab_show('the next call', $redis->get('key'));
?>
--EXPECT--
blPop: ["list","1"]
timeout: "less"
brPop without an end: ["list","2"]
timeout: "0"
xRead: {"stream":{"1-1":{"f":"v"}}}
timeout: "less"
-- CLIENT UNBLOCK
The node ended the wait: UNBLOCKED client unblocked via CLIENT UNBLOCK, node 127.0.0.1:PORT, server pool alpha: the command was answered; find out who sent CLIENT UNBLOCK
may have executed: true
the next call: "value"
