--TEST--
All workers of a host share a map of 1,000 nodes; a map of too many nodes is refused
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

/** A key in every slot. */
for ($keys = [], $i = 0; count($keys) < LAB_SLOTS; $i++) {
    $keys[OneHop\Topology::slot("key:$i")] ??= "key:$i";
}
$page = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
$wrong = $slow = 0;
foreach (explode(',', $_GET['keys']) as $key) {
    $begin = microtime(true);
    $wrong += $redis->get($key) !== "value of $key";
    $slow += microtime(true) - $begin > 0.4;
}
usleep(2000);
$nodes = count((new OneHop\Topology('alpha', $_GET['config']))->nodes());
echo json_encode(["$nodes nodes, $wrong wrong", $slow]);
PHP;

foreach ([[1000, 0, false], [1000, 0, true], [500, 1, true]] as [$masters, $replicas, $isDealt]) {
    echo "-- $masters masters, $replicas replicas of each, slots ",
        $isDealt ? "dealt round\n" : "in ranges\n";
    $cluster = LabCluster::large($masters, $replicas, $isDealt);
    $config = $cluster->config();
    $redis = new OneHop\Redis('alpha', $config);
    $topology = new OneHop\Topology('alpha', $config);
    $roles = array_count_values(array_column($topology->nodes(), 'role'));
    ksort($roles);
    lab_show('roles', $roles);
    $owner = static fn (int $slot)
        => $isDealt ? $slot % $masters : intdiv(($slot + 1) * $masters - 1, LAB_SLOTS);
    $wrong = 0;
    foreach ($keys as $slot => $key) {
        $wrong += $topology->locate($key)->name !== $cluster->names[$owner($slot)];
    }
    echo "keys placed elsewhere: $wrong\n";

    $here = array_filter($keys, static fn ($slot) => $owner($slot) < 3, ARRAY_FILTER_USE_KEY);
    $values = array_map(static fn ($key) => "value of $key", $here);
    lab_show('MSET', $redis->mset(array_combine($here, $values)));
    lab_show(
        'MGET gives what was set',
        $redis->mGet(array_values($here)) === array_values($values),
    );
    try {
        $redis->get($keys[array_search(7, array_map($owner, range(0, LAB_SLOTS - 1)), true)]);
    } catch (OneHop\NodeDown $exception) {
        lab_show(
            'the failure names the missing node',
            $exception->getNode() === $cluster->names[7],
        );
    }
    echo 'redirects: ', $cluster->errors('MOVED'), "\n";

    $ask = lab_fpm([], 4);
    $cluster->forgetStatistics();
    for ($i = $slow = 0, $answers = []; $i < 10; $i++) {
        foreach ($ask(
            $page,
            ['config' => $config, 'keys' => implode(',', array_slice($here, 0, 20))],
            4,
        ) as $answer) {
            [$told, $more] = json_decode($answer) ?? [$answer, 0];
            $answers[$told] = true;
            $slow += $more;
        }
    }
    /*
     * Two for the map. Four workers with a map each would ask eight times. A call that waits for
     * half a second requests the map once more.
     */
    echo implode(', ', array_keys($answers)), '; at most four questions: ',
        var_export($cluster->questions() <= 4 + 3 * $slow, true), "\n";
    foreach (array_keys($cluster->processes) as $port) {
        $cluster->kill($port);
    }
}

echo "-- more nodes than a map may have\n";
$liars = new Liars();
$config = $liars->config();
$redis = new OneHop\Redis('alpha', $config);
$crowd = array_map(static fn ($i) => [3 * $i, 3 * $i + 2, $i ?: $liars->ports[0]], range(0, 4096));
$liars->tell($crowd);
lab_tell(fn () => $liars->client(['timeout' => 2000]));
$liars->behave('f"-MOVED 5 127.0.0.1:{b}\r\n" if words[0] == "GET" and port == a else None');
$isAsked = static fn (): bool
    => str_contains(implode("\n", lab_commands($liars->ports[1])), 'CLUSTER SHARDS');
$wrong = 0;
$end = microtime(true) + 1.5;
while (microtime(true) < $end || (!$isAsked() && microtime(true) < $end + 30)) {
    $wrong += $redis->get($keys[5]) !== "{$liars->ports[1]} {$keys[5]}";
    usleep(1000);
}
echo 'asked again: ', $isAsked() ? 'yes' : 'no', ", wrong: $wrong, nodes: ",
    count((new OneHop\Topology('alpha', $config))->nodes()), "\n";
$liars->tell(array_slice($crowd, 0, 4096));
echo count((new OneHop\Topology('alpha', $liars->config()))->nodes()), " nodes\n";
?>
--EXPECT--
-- 1000 masters, 0 replicas of each, slots in ranges
roles: {"master":1000}
keys placed elsewhere: 0
MSET: true
MGET gives what was set: true
the failure names the missing node: true
redirects: 0
1000 nodes, 0 wrong; at most four questions: true
-- 1000 masters, 0 replicas of each, slots dealt round
roles: {"master":1000}
keys placed elsewhere: 0
MSET: true
MGET gives what was set: true
the failure names the missing node: true
redirects: 0
1000 nodes, 0 wrong; at most four questions: true
-- 500 masters, 1 replicas of each, slots dealt round
roles: {"master":500,"replica":500}
keys placed elsewhere: 0
MSET: true
MGET gives what was set: true
the failure names the missing node: true
redirects: 0
1000 nodes, 0 wrong; at most four questions: true
-- more nodes than a map may have
OneHop\ProtocolViolation, node none, may have executed: false
  No node returned the map of the cluster: 127.0.0.1:PORT: its map of the cluster was not accepted: there are more than 4096 nodes, server pool alpha; check the nodes of the cluster
asked again: yes, wrong: 0, nodes: 2
4096 nodes
