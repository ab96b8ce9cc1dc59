--TEST--
If no Sentinel answers, the known addresses stay in use, and the log says why
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

ini_set('log_errors', '1');
ini_set('error_log', $log = Lab::file('php.log'));
/** The new lines of the log. */
$told = static function () use ($log): void {
    clearstatcache();
    foreach (@file($log, FILE_IGNORE_NEW_LINES) ?: [] as $line) {
        $line = preg_replace(['/^\[[^]]*\] /', '/\d+\.\d s$/'], ['', 'N s'], $line);
        echo '  ', lab_hide($line), "\n";
    }
    @unlink($log);
};

echo "No Sentinel is there\n";
$port = lab_redis();
$fakes = new LabFakeSentinels(1);
$config = $fakes->config($port, ['sentinels' => "\n   - 127.0.0.1:" . Lab::port()]);
lab_show('a write', (new OneHop\Redis('alpha', $config))->set('key', 'value'));
$told();

echo "One Sentinel does not know the name\n";
$fakes->send(0, "*-1\r\n-ERR No such master with that name\r\n");
$redis = new OneHop\Redis('alpha', $fakes->config($port));
lab_show('a write', $redis->set('key', 'value'));
$told();
$fakes->say(0, $other = lab_redis(), 1);
Lab::until(fn () => $redis->get('key') === false, 'other address');
$told();
$fakes->send(0, '');
Lab::until(function () use ($redis, $log) {
    $redis->get('key');
    clearstatcache();
    return is_file($log);
}, 'line in the log');
lab_show('the known address stays in use', $redis->set('key', 'other'));
lab_show('at the known address', lab_plain($other)->get('key'));
$told();

echo "A redis that is not a Sentinel\n";
$config = $fakes->config($port, ['sentinels' => "\n   - 127.0.0.1:$port"]);
lab_show('a write', (new OneHop\Redis('alpha', $config))->set('key', 'value'));
$told();

echo "A password\n";
$lab = new LabSentinels(1, 1, 'sesame');
$wrong = ['sentinel_password' => 'open'];
lab_show('a wrong one', (new OneHop\Redis('alpha', $lab->config($wrong)))->set('key', 'value'));
$told();
lab_show('none', (new OneHop\Redis('alpha', $lab->config()))->set('key', 'value'));
$told();
$right = $lab->config(['sentinel_password' => 'sesame']);
file_put_contents($right, str_replace((string) $lab->ports[0], '1', file_get_contents($right)));
lab_show('the right one', (new OneHop\Redis('alpha', $right))->get('key'));
$told();
?>
--EXPECT--
No Sentinel is there
a write: true
  OneHop: Sentinel 127.0.0.1:PORT of server pool alpha is down: Connection refused while connecting
  OneHop: no Sentinel of server pool alpha names master node-0 (Connection refused while connecting): its address in the configuration stays in use
One Sentinel does not know the name
a write: true
  OneHop: no Sentinel of server pool alpha names master node-0 (it does not know this master): its address in the configuration stays in use
  OneHop: the Sentinels of server pool alpha name all masters again
  OneHop: master node-0 of server pool alpha is at 127.0.0.1:PORT now
the known address stays in use: true
at the known address: "other"
  OneHop: no Sentinel of server pool alpha names master node-0 (Connection closed by the node): its address so far stays in use
A redis that is not a Sentinel
a write: true
  OneHop: no Sentinel of server pool alpha names master node-0 (it is not a Sentinel): its address in the configuration stays in use
A password
a wrong one: true
  OneHop: no Sentinel of server pool alpha names master node-0 (The node refused the user name or password: WRONGPASS invalid username-password pair or user is disabled.): its address in the configuration stays in use
none: true
  OneHop: no Sentinel of server pool alpha names master node-0 (The node requires a password: NOAUTH Authentication required.): its address in the configuration stays in use
the right one: "value"
