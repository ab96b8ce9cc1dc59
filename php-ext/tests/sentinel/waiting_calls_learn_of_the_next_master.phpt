--TEST--
A master hangs: calls that wait for it go to the next one as soon as Sentinels name it
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/callers.inc';
require __DIR__ . '/../lab/sentinel.inc';

[$old, $process] = lab_redis_process();
$new = lab_redis();
foreach ([$old, $new] as $port) {
    lab_plain($port)->mSet(['key' => "of $port", 'a' => 'A']);
}
$sentinels = new LabFakeSentinels();
$sentinels->sayAll($old, 1);

/* Calls that the old master has not answered. A connection of before is ready for a write. */
$callers = new LabCallers($sentinels->config($old, ['timeout' => 20000]));
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
/* These stay. */
$short = $sentinels->config($old, ['timeout' => 1500], 'short.yml');
$callers->start('a write that was sent', '$redis->append("key", "!")', $open, $short);
$callers->start('a transaction', '$redis->multi()->get("key")->exec()', '', $short);
$callers->awaitReady();
Lab::signal($process, 19);
$callers->go();
usleep(500000);
$sentinels->sayAll($new, 2);
lab_plain($new)->rPush('list', 'element');
ob_start();
$callers->tell();
echo str_replace([(string) $old, (string) $new], ['OLD', 'NEW'], ob_get_clean());
?>
--EXPECT--
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
