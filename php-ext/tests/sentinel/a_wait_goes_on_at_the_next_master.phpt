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

/* Once the command waits at the first: the Sentinels name the second, and the first follows it. */
$said = implode(' ', array_map(static fn ($port) => Lab::file("said-$port"), $fakes->ports));
$waits = fn (int $port) => "until redis-cli -p $port info clients | grep -q blocked_clients:1; do
    sleep 0.01
done\n";
Lab::start(['sh', '-c', $waits($one) . "sleep 0.3
    for file in $said; do printf '127.0.0.1 $two 2' > \$file.new; mv \$file.new \$file; done
    redis-cli -p $one replicaof 127.0.0.1 $two\n"
    . $waits($two) . "redis-cli -p $two rpush list x"]);
lab_show('BLPOP', $redis->blPop(['list'], 30));
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
