--TEST--
An ejection is shown, and does not move calls that have begun; overload counts as a failure
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$eject = [
    'auto_eject_hosts' => 'true',
    'server_failure_limit' => 2,
    'server_retry_timeout' => 600000,
];
[$p0, [$p1, $id], $p2] = [lab_redis(), lab_redis_process(), lab_redis()];
$config = lab_config([$p0, $p1, $p2], $eject + ['distribution' => 'modula']);
[$redis, $other, $third] = [
    new OneHop\Redis('alpha', $config),
    new OneHop\Redis('alpha', $config),
    new OneHop\Redis('alpha', $config),
];
$topology = new OneHop\Topology('alpha', $config);
$out = fn ($topology) => implode(' ', array_map(
    fn ($node) => $node->name,
    array_filter($topology->nodes(), fn ($node) => $node->isEjected),
));
$show = static function (): void {
    foreach (OneHop\Topology::status()[0]['nodes'] as $node) {
        $time = $node['rests_ms'] > 200000 ? 'for minutes' : 'now';
        echo "  $node[node] is $node[state] $time, share ", round($node['share'], 2), ', ',
            $node['reason'] ?? 'no reason', "\n";
    }
};
/* A key of each node, and a key of node-0 that moves when node-1 is ejected. */
$without = new OneHop\Topology('alpha', $config, ['node-1']);
for (
    $i = 0;
    !isset($moves)
    || $without->locate($key['node-1'] = "k$i")->name !== 'node-2'
    || $topology->locate("k$i")->name !== 'node-1';
    $i++
) {
    if ($topology->locate("k$i")->name === 'node-0' && $without->locate("k$i")->name === 'node-2') {
        $moves = "k$i";
    }
}
$redis->set($moves, 'old');
lab_show('ejected nodes', $out($topology));
$show();
lab_show('a topology without node-1 shows node-1 as ejected', $without->nodes()[1]->isEjected);

echo "-- calls that began before the ejection\n";
$node = $topology->locate($moves);
$redis->pipeline()->get($moves);
$third->multi()->get($moves);
Lab::stop($id);
usleep(20000);
for ($i = 0; $i < 2; $i++) {
    lab_tell(fn () => $other->get($key['node-1']));
}
lab_show('ejected nodes', $out($topology));
$show();
lab_show('node-0 is ejected', $node->isEjected);
lab_show('the key of node-1 is on', $topology->locate($key['node-1'])->name);
lab_show('the key that moves is on', $topology->locate($moves)->name);
lab_show('GET of the key of node-1, from its new node', $other->get($key['node-1']));
lab_show('GET of the key that moves, from its new node', $other->get($moves));
lab_show(
    'the pipeline ends on the old node',
    $redis->set($moves, 'new')->get($moves)->exec() === ['old', true, 'new'],
);
lab_show('so does the transaction', $third->get($moves)->exec() === ['new', 'new']);
echo "-- calls that began after the ejection\n";
lab_show('GET in a pipeline, from the new node', $redis->pipeline()->get($moves)->exec());
lab_show('in a transaction', $third->multi()->get($moves)->exec());
lab_show('by a new client', (new OneHop\Redis('alpha', $config))->get($moves));
echo "-- another pool with other rules keeps its own count\n";
$patient = lab_config([$p0, $p1, $p2], ['server_failure_limit' => 3] + $eject);
lab_show('ejected nodes of that pool', $out(new OneHop\Topology('alpha', $patient)));

echo "-- errors that count, and errors that do not\n";
foreach ([
    'OOM command not allowed', 'LOADING data', 'BUSY script', 'BUSYKEY exists', 'ERR OOM', 'OOMPH',
    'MISCONF no',
] as $error) {
    $bad = lab_node('for words in commands(): reply("-" + test.error)', ['error' => $error]);
    $config = lab_config([$p0, "127.0.0.1:$bad:1 bad"], $eject);
    $key = lab_key_of_each($config)['bad'];
    $redis = new OneHop\Redis('alpha', $config);
    for ($i = 0; $i < 2; $i++) {
        try {
            $redis->set($key, 'x');
        } catch (RedisException $e) {
        }
    }
    echo "$error: ", $out(new OneHop\Topology('alpha', $config)) ?: 'stays', "\n";
}
echo "-- a node that does not answer\n";
$hung = lab_node('await_close()');
$config = lab_config([$p0, "127.0.0.1:$hung:1 hung"], $eject + ['timeout' => 1500]);
$key = lab_key_of_each($config)['hung'];
$redis = new OneHop\Redis('alpha', $config);
$told = [];
$inTime = 0;
$end = microtime(true) + 60;
while ($out(new OneHop\Topology('alpha', $config)) !== 'hung' && microtime(true) < $end) {
    ob_start();
    $took = lab_time(fn () => lab_tell(fn () => $redis->set($key, 'x')));
    $told[] = ob_get_clean();
    $inTime += $took < 1650;
}
echo implode(array_unique($told));
/* A deadline that a busy machine notices 200 ms too late does not count. */
lab_show('after two such calls', count($told) >= 2 && $inTime <= 2);
lab_show('the next SET goes to the other node', $redis->set($key, 'x'));

echo "-- no node is left\n";
[$only, $id] = lab_redis_process();
$config = lab_config(["127.0.0.1:$only:1 only"], $eject);
$redis = new OneHop\Redis('alpha', $config);
Lab::stop($id);
usleep(20000);
for ($i = 0; $i < 3; $i++) {
    lab_tell(fn () => $redis->set('key', 'x'));
}
lab_redis_at($only);
lab_show('SET once it runs again', $redis->set('key', 'x'));
?>
--EXPECT--
ejected nodes: ""
  node-0 is up now, share 0.33, no reason
  node-1 is up now, share 0.33, no reason
  node-2 is up now, share 0.33, no reason
a topology without node-1 shows node-1 as ejected: true
-- calls that began before the ejection
OneHop\NodeDown, node node-1, may have executed: false
  Connection refused while connecting, node node-1 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node node-1, may have executed: false
  Connection refused while connecting, node node-1 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
ejected nodes: "node-1"
  node-0 is up now, share 0.5, no reason
  node-1 is ejected for minutes, share 0, Connection refused while connecting
  node-2 is up now, share 0.5, no reason
node-0 is ejected: false
the key of node-1 is on: "node-2"
the key that moves is on: "node-2"
GET of the key of node-1, from its new node: false
GET of the key that moves, from its new node: false
the pipeline ends on the old node: true
so does the transaction: true
-- calls that began after the ejection
GET in a pipeline, from the new node: [false]
in a transaction: [false]
by a new client: false
-- another pool with other rules keeps its own count
ejected nodes of that pool: ""
-- errors that count, and errors that do not
OOM command not allowed: bad
LOADING data: bad
BUSY script: bad
BUSYKEY exists: stays
ERR OOM: stays
OOMPH: stays
MISCONF no: stays
-- a node that does not answer
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 1500 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
after two such calls: true
the next SET goes to the other node: true
-- no node is left
OneHop\NodeDown, node only, may have executed: false
  Connection refused while connecting, node only (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node only, may have executed: false
  Connection refused while connecting, node only (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node only, may have executed: false
  Connection refused while connecting, node only (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
SET once it runs again: true
