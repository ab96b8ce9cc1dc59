--TEST--
A blocking command whose master becomes a replica goes on at the next one that Sentinels name
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

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
/* The Sentinels name the second, and the first follows it. */
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
?>
--EXPECT--
a write: true
BLPOP: ["list","x"]
with the time that is left: true
