--TEST--
A command for a slot that has moved is redirected once: alone, in a pipeline, over several slots
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3);
[$a, $b, $c] = $cluster->ports;
$redis = new OneHop\Redis('alpha', $cluster->config());

/* Fifteen slots, which will leave the first node, with five keys each; and keys of other slots. */
$slots = range(100, 114);
$keys = [];
foreach ($slots as $slot) {
    for ($i = 0; $i < 5; $i++) {
        $keys[] = $key = lab_key_in($slot, ":$i");
        $redis->set($key, "value of $key");
    }
}
$values = array_map(static fn ($key) => "value of $key", $keys);
$others = array_map(static fn ($i) => "other:$i", range(0, 74));
$redis->mSet(array_combine($others, $others));
/* A map is asked for again after a minute. This object's map begins here. */
$redis = new OneHop\Redis('alpha', $cluster->config(name: 'young.yml'));
$redis->get($others[0]);

$mixed = $expected = [];
foreach ($keys as $i => $key) {
    array_push($mixed, $key, $others[$i]);
    array_push($expected, $values[$i], $others[$i]);
}
$is_right = static function () use ($redis, $mixed, $expected): bool {
    $pipeline = $redis->pipeline();
    foreach ($mixed as $key) {
        $pipeline->get($key);
    }
    return $pipeline->exec() === $expected;
};

echo "-- ten slots with fifty keys move to the last node\n";
foreach (array_slice($slots, 0, 10) as $slot) {
    $cluster->move($slot, $a, $c);
}
$cluster->forgetStatistics();
lab_show('a pipeline over all keys has all values', $is_right());
lab_show('nodes have answered MOVED', $cluster->errors('MOVED'));
lab_show(
    'redirects, as the status counts them',
    array_sum(array_column(OneHop\Topology::status()[1]['nodes'], 'redirects')),
);
lab_show('the same pipeline has all values again', $is_right());
lab_show('nodes have answered MOVED', $cluster->errors('MOVED'));
lab_show('MGET has all values', $redis->mGet($keys) === $values);
lab_show('nodes have answered MOVED', $cluster->errors('MOVED'));

echo "-- five more slots move\n";
foreach (array_slice($slots, 10) as $slot) {
    $cluster->move($slot, $a, $c);
}
lab_show('GET of a key of the first of them', $redis->get($keys[50]));
lab_show('nodes have answered MOVED', $cluster->errors('MOVED'));
lab_show(
    'MGET has all values, though four slots have moved unnoticed',
    $redis->mGet($keys) === $values,
);
/* If the client has fetched the map meanwhile, there is none: that depends on the time. */
lab_show(
    'nodes have answered MOVED once for each, or not at all',
    in_array($cluster->errors('MOVED'), [51, 55], true),
);
lab_show('last error', $redis->getLastError());

echo "-- a command for a chosen node is not redirected\n";
try {
    $redis->onEachNode('get', $keys[0]);
} catch (OneHop\PartialBatch $e) {
    lab_show('nodes that gave the value', count(array_filter($e->getReplies(), is_string(...))));
    lab_show('nodes that refused', count($e->getFailures()));
}

/* From here on a client with a file of its own, and so with a map of its own. */
$redis = new OneHop\Redis('alpha', $cluster->config());

echo "-- large values: 4 MB in a pipeline, every other key has moved\n";
$keys = array_map(static fn ($i) => lab_key_in(116 + $i % 2, ":big$i"), range(0, 39));
$values = array_map(
    static fn ($i) => str_repeat(chr(65 + $i % 26), 100000) . $keys[$i],
    range(0, 39),
);
$redis->mSet(array_combine($keys, $values));
$cluster->move(117, $a, $c);
$cluster->forgetStatistics();
$pipeline = $redis->pipeline();
foreach ($keys as $key) {
    $pipeline->get($key);
}
$replies = $pipeline->exec();
lab_show('values', count($replies));
lab_show('wrong values', count(array_diff_assoc($replies, $values)));
lab_show('nodes have answered MOVED', $cluster->errors('MOVED'));

echo "-- 3 MB alone\n";
$key = lab_key_in(118, ':long');
$redis->set($key, str_repeat('x', 3000000));
$cluster->move(118, $a, $c);
lab_show('bytes', strlen($redis->get($key)));

echo "-- two nodes redirect to each other\n";
$slot = 300;
$key = lab_key_in($slot);
$cluster->call($a, 'CLUSTER', 'SETSLOT', (string) $slot, 'NODE', $cluster->id($b));
lab_tell(static fn () => preg_replace('/\d+$/', '', (string) $redis->get($key)));

echo "-- the same pipeline uses the only connection to the new node\n";
$config = $cluster->config(['pool_size' => 1], name: 'single.yml');
$single = new OneHop\Redis('alpha', $config);
$waits = static fn (): int => array_sum(
    array_column(array_column(OneHop\Topology::status(), 'nodes', 'path')[$config], 'waits'),
);
$long = str_repeat('u', 1000000);
$wrong = 0;
/* Whether a command waits depends on the order of the nodes in the map, and on the processor. */
for ($round = 0; $round < 2 || ($waits() === 0 && $round < 20); $round++) {
    [$from, $to, $slot, $other] = $round % 2 ? [$c, $a, 16000, 400] : [$a, $c, 200, 16200];
    [$moved, $unmoved] = [lab_key_in($slot + $round), lab_key_in($other)];
    $single->mSet([$moved => 'moved', $unmoved => $long]);
    $cluster->move($slot + $round, $from, $to);
    lab_plain($to)->rawCommand('CLIENT', 'PAUSE', '300');
    $wrong += $single->pipeline()->get($moved)->get($unmoved)->exec() !== ['moved', $long];
}
lab_show('wrong replies', $wrong);
lab_show('a command has waited for that connection', $waits() > 0);

echo "-- exit() in a signal handler ends a pipeline whose blocking command was redirected\n";
[$moved, $unmoved] = [lab_key_in(230), lab_key_in(16300)];
$redis->get($moved);
/* Without a newer map the first command needs a redirect. */
foreach ($cluster->ports as $port) {
    $cluster->call($port, 'ACL', 'SETUSER', 'default', '-cluster|shards', '-cluster|slots');
}
$cluster->move(230, $a, $c);
$cluster->forgetStatistics();
if (($child = pcntl_fork()) === 0) {
    pcntl_alarm(60); /* Ends a child that nothing else ends: the lab's servers wait for it. */
    pcntl_async_signals(true);
    pcntl_signal(SIGTERM, static fn () => exit(3));
    $redis->pipeline()->blPop($moved, 0)->blPop($unmoved, 0)->exec();
    exit(0);
}
Lab::until(
    static fn () => $cluster->errors('MOVED') === 1
        && !str_contains($cluster->call($c, 'INFO', 'clients'), 'blocked_clients:0'),
    'redirect and wait',
);
posix_kill($child, SIGTERM);
Lab::until(
    static function () use ($child, &$status): bool {
        return pcntl_waitpid($child, $status, WNOHANG) === $child;
    },
    'end of the process',
);
lab_show('exit status', pcntl_wexitstatus($status));
?>
--EXPECT--
-- ten slots with fifty keys move to the last node
a pipeline over all keys has all values: true
nodes have answered MOVED: 50
redirects, as the status counts them: 50
the same pipeline has all values again: true
nodes have answered MOVED: 50
MGET has all values: true
nodes have answered MOVED: 50
-- five more slots move
GET of a key of the first of them: "value of {2359}:0"
nodes have answered MOVED: 51
MGET has all values, though four slots have moved unnoticed: true
nodes have answered MOVED once for each, or not at all: true
last error: null
-- a command for a chosen node is not redirected
nodes that gave the value: 1
nodes that refused: 2
-- large values: 4 MB in a pipeline, every other key has moved
values: 40
wrong values: 0
nodes have answered MOVED: 20
-- 3 MB alone
bytes: 3000000
-- two nodes redirect to each other
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: true
  The cluster cannot serve this now: the nodes redirect it to each other (node 127.0.0.1:PORT answered MOVED 300 127.0.0.1:PORT), node 127.0.0.1:PORT, server pool alpha: the command was answered; try again
-- the same pipeline uses the only connection to the new node
wrong replies: 0
a command has waited for that connection: true
-- exit() in a signal handler ends a pipeline whose blocking command was redirected
exit status: 3
