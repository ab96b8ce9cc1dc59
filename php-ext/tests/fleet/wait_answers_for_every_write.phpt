--TEST--
wait() counts the replicas that have every write of the fleet, whichever connection carried it
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/** A master and its replica, linked: their ports and the replica's process. */
function pair(string ...$options): array
{
    $master = lab_redis('--repl-diskless-sync-delay', '0', ...$options);
    return [$master, ...lab_replica($master)];
}

[$one, , $one_replica] = pair();
[$two, , $two_replica] = pair();
$config = lab_config([$one, $two]);
$key = lab_key_of_each($config);
$redis = new OneHop\Redis('alpha', $config);
/* The write goes over a connection of another process. */
$write = fn ()
    => lab_run('<?php
        $redis = new OneHop\Redis("alpha", $argv[1]);
        $redis->mset([$argv[2] => 1, $argv[3] => 1]);', [
        $config,
        ...array_values($key),
    ]);

echo "-- all replicas are there\n";
$write();
lab_show('replicas, wait for 1', $redis->wait(1, 5000));
lab_show('wait for 2, which no master has', $redis->wait(2, 100));
lab_show('by rawCommand()', $redis->rawCommand('WAIT', '1', '5000'));
lab_show(
    'between SET and GET in a pipeline',
    $redis->pipeline()->set($key['node-0'], 2)->wait(1, 5000)->get($key['node-0'])->exec(),
);
lab_show('of each node', $redis->onEachNode('wait', 1, 5000));

echo "-- one replica is stopped\n";
Lab::signal($two_replica, SIGSTOP);
$write();
lab_show('replicas', $redis->wait(1, 300));
lab_show('of each node', $redis->onEachNode('wait', 1, 300));
lab_show('after GET in a pipeline', $redis->pipeline()->get($key['node-0'])->wait(1, 300)->exec());

echo "-- the same for a pool of one server\n";
$write();
$alone = new OneHop\Redis('alpha', lab_config([$two], [], 'alone.yml'));
lab_show('replicas', $alone->wait(1, 300));
lab_show('in a pipeline', $alone->pipeline()->wait(1, 300)->exec());
Lab::signal($two_replica, SIGCONT);
lab_show('replicas once it continues', $alone->wait(1, 5000));

echo "-- the wait may exceed the pool's timeout\n";
Lab::signal($two_replica, SIGSTOP);
$short = new OneHop\Redis('alpha', lab_config([$one, $two], ['timeout' => 1500], 'short.yml'));
$write();
lab_show('replicas within 2,000 ms', $short->wait(1, 2000));

echo "-- a user who may not publish\n";
lab_plain($one)->rawCommand('ACL', 'SETUSER', 'default', 'resetchannels');
try {
    (new OneHop\Redis('alpha', lab_config([$one], [], 'mute.yml')))->wait(1, 300);
} catch (OneHop\Unsupported $e) {
    echo $e->getNode(), ' ',
        preg_replace('/NOPERM .*?, node.*: /', 'NOPERM ...: ', $e->getMessage()), "\n";
}

echo "-- not in a transaction\n";
lab_tell(fn () => $redis->multi()->wait(1, 100));
$redis->discard();
?>
--EXPECT--
-- all replicas are there
replicas, wait for 1: 1
wait for 2, which no master has: 1
by rawCommand(): 1
between SET and GET in a pipeline: [true,1,"2"]
of each node: {"node-0":1,"node-1":1}
-- one replica is stopped
replicas: 0
of each node: {"node-0":1,"node-1":0}
after GET in a pipeline: ["1",0]
-- the same for a pool of one server
replicas: 0
in a pipeline: [0]
replicas once it continues: 1
-- the wait may exceed the pool's timeout
replicas within 2,000 ms: 0
-- a user who may not publish
node-0 The node refused a command that OneHop sends before this one: NOPERM ...: the command may have executed; allow the server pool's user to send it
-- not in a transaction
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::wait() cannot be used in a transaction: the command was not sent; it goes to every node; call it before multi() or after exec()
