--TEST--
A master dies: calls wait for its successor, and the old master gets nothing when it comes back
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

$lab = new LabSentinels();
$config = $lab->config(['timeout' => 30000]);
$redis = new OneHop\Redis('alpha', $config);
lab_show('a write', $redis->set('key', 'before'));
Lab::until(function () use ($lab) {
    $replica = array_values(array_diff(array_keys($lab->processes), $lab->ports))[0];
    return lab_plain($replica)->get('key') === 'before';
}, 'copied key');

$old = $lab->ports[0];
$lab->kill($old);
lab_show('a write that waits', $redis->append('key', ', after'));
lab_show('nothing is lost, nothing is doubled', $redis->get('key'));
$lab->awaitSuccessor($old);
lab_show('a batch', $redis->pipeline()->set('a', '1')->incr('a')->exec());
lab_show('a transaction', $redis->multi()->set('b', '2')->get('b')->exec());

/* The old master comes back, empty, and is a master until a Sentinel makes it a replica. */
$lab->processes[$old] = lab_redis_at($old);
for ($i = 0, $end = microtime(true) + 60; !LabSentinels::isReplica($old); $i++) {
    if (microtime(true) > $end) {
        throw new Error('the old master has not become a replica');
    }
    $redis->set("later $i", '1');
}
lab_show('all at the successor', lab_plain($lab->port())->exists(...array_map(
    static fn ($number) => "later $number",
    range(0, $i - 1),
)) === $i);

/* Without a replica there is no successor. */
$lab = new LabSentinels(1, 1);
$redis = new OneHop\Redis('alpha', $lab->config(['timeout' => 5000]));
$redis->set('key', 'value');
array_map($lab->kill(...), array_keys($lab->processes));
$took = lab_time(fn () => lab_tell(fn () => $redis->set('key', 'late')));
lab_show('within the deadline', $took < 10000);
lab_tell(fn () => $redis->multi()->set('key', 'late')->exec());
?>
--EXPECT--
a write: true
a write that waits: 13
nothing is lost, nothing is doubled: "before, after"
a batch: [true,2]
a transaction: [true,"2"]
all at the successor: true
OneHop\NodeDown, node node-0, may have executed: false
  Connection refused while connecting, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
within the deadline: true
OneHop\NodeDown, node node-0, may have executed: false
  Connection refused while connecting, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; nothing in the transaction was executed; start it again
