--TEST--
On the command line, too, a node that is down rests, calls fail fast, and the node is found again
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$script = <<<'PHP'
<?php
require $argv[1];

[$up, [$port, $id]] = [lab_redis(), lab_redis_process()];
$config = lab_config([$up, $port]);
$keys = lab_key_of_each($config);
$redis = new OneHop\Redis('alpha', $config);
$last = '';
$short = static fn (string $message) => preg_replace(
    ['/\d+ ms/', '/\d+ failures?/', '/, node .*: the/'],
    ['N ms', 'N failures', ': the'],
    $message,
);
$tell = function (callable $call) use (&$last, $short) {
    try {
        return json_encode($call());
    } catch (OneHop\NodeDown $e) {
        $last = $e->getMessage();
        return $e->getNode() . ($e->mayHaveExecuted() ? ' maybe: ' : ': ') . $short($last);
    }
};
/** Asks until the answer begins with $wanted. */
$until = function (string $wanted) use ($tell, $redis, $keys): bool {
    for ($end = hrtime(true) + 30e9; hrtime(true) < $end; usleep(5000)) {
        if (str_starts_with($tell(fn () => $redis->get($keys['node-1'])), $wanted)) {
            return true;
        }
    }
    return false;
};
echo $tell(fn () => $redis->set($keys['node-1'], 'here')), "\n";
for ($round = 0; $round < 2; $round++) {
    Lab::stop($id);
    usleep(20000);
    echo $tell(fn () => $redis->get($keys['node-1'])), "\n";
    echo 'rests: ', json_encode($until('node-1: The node is resting')), ', ';
    /* On a slow machine the first rest of 50 ms is over before it is seen. */
    echo preg_replace('/row: [1-9]\d*/', 'row: N', $short($last)), "\n";
    echo 'known to other clients and children: ';
    if (pcntl_fork() === 0) {
        $redis = new OneHop\Redis('alpha', $config);
        echo json_encode($until('node-1: The node is resting')), "\n";
        exit;
    }
    pcntl_wait($status);
    echo 'the other node: ', $tell(fn () => $redis->set($keys['node-0'], 1)), "\n";
    echo 'tried again: ', json_encode($until('node-1: Connection refused')), ', rests again: ',
        json_encode($until('node-1: The node is resting')), "\n";
    $id = lab_redis_at($port);
    echo 'found again: ', json_encode($until('false')), ', ',
        json_encode($redis->mGet(array_values($keys))), "\n";
}
PHP;
foreach (['4M', '0'] as $memory) {
    echo "-- shared memory: $memory\n";
    echo lab_run($script, [__DIR__ . '/../lab/lab.inc'], settings: [
        'onehop.shared_memory' => $memory,
    ]);
}
?>
--EXPECT--
-- shared memory: 4M
true
node-1: Connection refused while connecting: the command was not sent; check that the node is running and reachable
rests: true, The node is resting after a failure: Connection refused while connecting: the command was not sent; check that the node is running and reachable (N ms more; failures in a row: N)
known to other clients and children: true
the other node: true
tried again: true, rests again: true
found again: true, ["1",false]
node-1: Connection refused while connecting: the command was not sent; check that the node is running and reachable
rests: true, The node is resting after a failure: Connection refused while connecting: the command was not sent; check that the node is running and reachable (N ms more; failures in a row: N)
known to other clients and children: true
the other node: true
tried again: true, rests again: true
found again: true, ["1",false]
-- shared memory: 0
true
node-1: Connection refused while connecting: the command was not sent; check that the node is running and reachable
rests: true, The node is resting after a failure: Connection refused while connecting: the command was not sent; check that the node is running and reachable (N ms more; failures in a row: N)
known to other clients and children: true
the other node: true
tried again: true, rests again: true
found again: true, ["1",false]
node-1: Connection refused while connecting: the command was not sent; check that the node is running and reachable
rests: true, The node is resting after a failure: Connection refused while connecting: the command was not sent; check that the node is running and reachable (N ms more; failures in a row: N)
known to other clients and children: true
the other node: true
tried again: true, rests again: true
found again: true, ["1",false]
