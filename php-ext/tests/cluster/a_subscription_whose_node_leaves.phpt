--TEST--
A subscription ends with a failure when its node leaves the cluster but runs on
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(2, 0);
[$a, $b] = $cluster->ports;
$cluster->start($new = Lab::port());
$cluster->introduce($new);
Lab::until(
    fn () => substr_count($cluster->call($new, 'CLUSTER', 'NODES'), "\n") === 3
        && substr_count($cluster->call($b, 'CLUSTER', 'NODES'), "\n") === 3
        && !str_contains(
            $cluster->call($a, 'CLUSTER', 'NODES') . $cluster->call($b, 'CLUSTER', 'NODES'),
            'handshake',
        )
        && str_contains($cluster->call($new, 'CLUSTER', 'INFO'), 'cluster_state:ok'),
    'three nodes',
);
$cluster->move(99, $a, $new);
$channel = lab_key_in(99);
$redis = new OneHop\Redis('alpha', $config = $cluster->config());
$child = pcntl_fork();
/* Shares the host's memory with its parent, and notices the change while the parent listens. */
if ($child === 0) {
    $plain = static function (int $port, string ...$words): mixed {
        $redis = new Redis();
        $redis->connect('127.0.0.1', $port);
        return $redis->rawCommand(...$words);
    };
    $listens = static fn () => $plain($new, 'PUBSUB', 'NUMSUB', $channel)[1] > 0;
    Lab::until($listens, 'listener');
    $plain($a, 'PUBLISH', $channel, 'from another node');
    $ids = array_map(
        static fn ($port) => $plain($port, 'CLUSTER', 'MYID'),
        ['a' => $a, 'new' => $new],
    );
    $plain($a, 'CLUSTER', 'BUMPEPOCH');
    foreach ([$a, $b, $new] as $port) {
        $plain($port, 'CLUSTER', 'SETSLOT', '99', 'NODE', $ids['a']);
    }
    foreach ([$a, $b] as $port) {
        $plain($port, 'CLUSTER', 'FORGET', $ids['new']);
    }
    $plain($new, 'CLUSTER', 'RESET', 'HARD');
    $mine = new OneHop\Redis('alpha', $config);
    Lab::until(static function () use ($mine, $channel, $config) {
        try {
            $mine->get($channel);
        } catch (OneHop\Exception) {
            /* The node that has left answers that the cluster is down. */
        }
        return count((new OneHop\Topology('alpha', $config))->nodes()) === 2;
    }, 'map of two nodes');
    posix_kill(getmypid(), SIGKILL);
}
try {
    $redis->subscribe([$channel], static function ($redis, $channel, $text) {
        echo $text, "\n";
    });
} catch (OneHop\NodeDown $over) {
    echo preg_replace('/\d{4,5}/', 'PORT', $over->getMessage()), "\n",
        str_ends_with($over->getNode(), ":$new") ? 'the one that left' : $over->getNode(), "\n";
}
pcntl_waitpid($child, $status);
?>
--EXPECT--
from another node
The node has left the cluster, node 127.0.0.1:PORT, server pool alpha: the command was answered; subscribe again
the one that left
