--TEST--
A transaction whose slot has moved fails as a whole and is not sent again; the next one runs
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3);
[$a, $b, $c] = $cluster->ports;
$redis = new OneHop\Redis('alpha', $cluster->config());
$slot = 119;
$key = lab_key_in($slot, ':t');
$redis->mSet([$key => 1, 'other:0' => 'other:0', 'other:1' => 'other:1']);

/* Without a transaction exec() is null, or false since phpredis 6. */
echo "-- the slot has moved before the transaction\n";
$cluster->move($slot, $a, $c);
lab_tell(static fn () => $redis->multi()->incr($key)->exec());
lab_tell(static fn () => $redis->exec() ?: null);
lab_show('the next transaction', $redis->multi()->incr($key)->exec());

echo "-- the slot moves before exec()\n";
$redis->multi()->incr($key);
$cluster->move($slot, $c, $b);
lab_tell(static fn () => $redis->exec());
lab_show('the value stays', $redis->get($key));

echo "-- in a pipeline, between transactions of a slot that stays and single commands\n";
$cluster->move($slot, $b, $a);
$neighbour = lab_key_in(7000); /* A key on the node that had the slot. */
try {
    $redis->pipeline()
        ->get('other:0')
        ->multi()->set($neighbour, 1)->incr($neighbour)->exec()
        ->multi()->incr($key)->incr($key)->exec()
        ->get($key)
        ->multi()->incr($neighbour)->exec()
        ->get('other:1')
        ->exec();
} catch (OneHop\PartialBatch $e) {
    echo lab_hide($e->getMessage()), "\n";
    foreach ($e->getReplies() as $i => $reply) {
        lab_show("reply $i", $reply instanceof Exception ? get_class($reply) : $reply);
    }
}
lab_show(
    'the next transaction',
    $redis->pipeline()->multi()->incr($key)->incr($key)->exec()->get($key)->exec(),
);
?>
--EXPECT--
-- the slot has moved before the transaction
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: false
  The cluster cannot serve this now: a transaction is never sent again (node 127.0.0.1:PORT answered MOVED 119 127.0.0.1:PORT), node 127.0.0.1:PORT, server pool alpha: the command was not sent; nothing in the transaction was executed; start it again
value: null
the next transaction: [2]
-- the slot moves before exec()
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: true
  The cluster cannot serve this now: a transaction is never sent again (node 127.0.0.1:PORT answered MOVED 119 127.0.0.1:PORT), node 127.0.0.1:PORT, server pool alpha: the command was answered; try again
the value stays: "2"
-- in a pipeline, between transactions of a slot that stays and single commands
Part of the batch failed, although every node answered, server pool alpha: all commands were answered; getReplies() has the replies, with a failure in place of each part that failed; the first failure: The cluster cannot serve this transaction now, and a transaction is never sent again, node 127.0.0.1:PORT, server pool alpha
reply 0: "other:0"
reply 1: [true,2]
reply 2: "OneHop\\NodeDown"
reply 3: "2"
reply 4: [3]
reply 5: "other:1"
the next transaction: [[3,4],"4"]
