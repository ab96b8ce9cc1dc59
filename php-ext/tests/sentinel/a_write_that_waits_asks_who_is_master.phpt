--TEST--
A master hangs: a write that it has got asks the Sentinels while it waits
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

[$master, $process] = lab_redis_process();
$sentinels = new LabFakeSentinels();
$sentinels->sayAll($master, 1);
$redis = new OneHop\Redis('alpha', $sentinels->config($master, ['timeout' => 1500]));
$redis->set('key', 'value');
$before = $sentinels->questions();
Lab::signal($process, 19);
lab_tell(static fn () => $redis->append('key', '!'));
lab_show('has asked', $sentinels->questions() > $before);
Lab::signal($process, 18);
?>
--EXPECT--
OneHop\DeadlineExceeded, node node-0, may have executed: true
  No answer within 1500 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
has asked: true
