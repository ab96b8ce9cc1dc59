--TEST--
Calls that wait for a master that hangs or steps down go to the next one when Sentinels name it
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/processes.inc';
require __DIR__ . '/../lab/sentinel.inc';

[$old, $process] = lab_redis_process();
$new = lab_redis();
foreach ([$old, $new] as $port) {
    lab_plain($port)->mSet(['key' => "of $port", 'a' => 'A']);
}
$sentinels = new LabFakeSentinels();
$sentinels->sayAll($old, 1);

echo "a master hangs\n";
/*
 * Calls that the old master has not answered. A connection that was opened before is ready for a
 * write.
 */
$callers = new LabCallers($sentinels->config($old));
$open = '$redis->get("key")';
$callers->start('a write that was not sent', '$redis->set("written", "1")');
$callers->start('a read that was sent', '$redis->get("key")', $open);
$callers->start('without the express lane', '$redis->getRange("key", 0, -1)', $open);
$callers->start(
    'a batch of reads',
    '$redis->pipeline()->get("key")->strLen("key")->get("a")->exec()',
    $open,
);
$callers->start('a batch that was not sent', '$redis->pipeline()->incr("n")->incr("n")->exec()');
$callers->start('several keys', '$redis->mGet(["key", "a"])', $open);
$callers->start('a scan', 'count($redis->scan($cursor)) > 0', "$open; \$cursor = null");
$callers->start('a wait that was not sent', '$redis->blPop(["list"], 30)');
$callers->start('a raw command', '$redis->rawCommand("GET", "key")', $open);
/* These calls stay with the old master. */
$short = $sentinels->config($old, ['timeout' => 5000], 'short.yml');
$callers->start('a write that was sent', '$redis->append("key", "!")', $open, $short);
$callers->start('a transaction', '$redis->multi()->get("key")->exec()', '', $short);
$callers->awaitReady();
Lab::signal($process, 19);
$callers->go();
usleep(1500000); /* So all have sent what they send. */
$sentinels->sayAll($new, 2);
lab_plain($new)->rPush('list', 'element');
ob_start();
$callers->tell();
echo str_replace([(string) $old, (string) $new], ['OLD', 'NEW'], ob_get_clean());

echo "a master becomes a replica while a blocking command waits\n";
[$one, $two] = [lab_redis(), lab_redis()];
lab_plain($two)->rawCommand('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
$fakes = new LabFakeSentinels();
$fakes->sayAll($one, 1);
$redis = new OneHop\Redis('alpha', $fakes->config($one));
lab_show('a write', $redis->set('name', 'one'));

if (($child = pcntl_fork()) === 0) {
    lab_show('BLPOP', $redis->blPop(['list'], 30));
    exit;
}
$waits = static fn (int $port) => lab_plain($port)->info('clients')['blocked_clients'] == 1;
Lab::until(static fn () => $waits($one), 'wait');
usleep(300000);
/* The Sentinels name the second server, and the first one becomes its replica. */
$fakes->sayAll($two, 2);
lab_plain($one)->rawCommand('REPLICAOF', '127.0.0.1', $two);
Lab::until(static fn () => $waits($two), 'wait at the next master');
lab_plain($two)->rPush('list', 'x');
pcntl_waitpid($child, $status);
foreach (lab_plain($two)->rawCommand('SLOWLOG', 'GET', '100') as [, , , $words]) {
    if ($words[0] === 'BLPOP') {
        lab_show('with the time that is left', $words[2] > 1 && $words[2] < 29.8);
    }
}

echo "while a write that the master has received waits, its call asks the Sentinels\n";
[$master, $process] = lab_redis_process();
$sentinels = new LabFakeSentinels();
$sentinels->sayAll($master, 1);
$redis = new OneHop\Redis('alpha', $sentinels->config($master, ['timeout' => 5000]));
$redis->set('key', 'value');
$before = $sentinels->questions();
Lab::signal($process, 19);
lab_tell(static fn () => $redis->append('key', '!'));
lab_show('has asked', $sentinels->questions() > $before);
Lab::signal($process, 18);
?>
--EXPECT--
a master hangs
a write that was not sent: true
a read that was sent: "of NEW"
without the express lane: "of NEW"
a batch of reads: ["of NEW",8,"A"]
a batch that was not sent: [1,2]
several keys: ["of NEW","A"]
a scan: true
a wait that was not sent: ["list","element"]
a raw command: "of NEW"
a write that was sent: OneHop\DeadlineExceeded, may have executed
a transaction: OneHop\DeadlineExceeded, not sent
a master becomes a replica while a blocking command waits
a write: true
BLPOP: ["list","x"]
with the time that is left: true
while a write that the master has received waits, its call asks the Sentinels
OneHop\DeadlineExceeded, node node-0, may have executed: true
  No answer within 5000 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
has asked: true
