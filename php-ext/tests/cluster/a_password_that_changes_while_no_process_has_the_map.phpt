--TEST--
After a password change, workers with the new password fetch the map again and share it
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

ini_set('error_log', '/dev/null'); /* The process that notices the change may log a line. */
$cluster = new LabCluster(3);
foreach ($cluster->ports as $port) {
    $cluster->call($port, 'ACL', 'SETUSER', 'default', 'resetpass', '>old', '>new');
}
$config = $cluster->config(['redis_auth' => 'old'], null, 'nodes.yml');
$fork = static function (callable $do): void {
    if (($child = pcntl_fork()) === 0) {
        $do();
        posix_kill(getmypid(), SIGKILL); /* The child must not stop what the test has started. */
    }
    pcntl_waitpid($child, $status);
};
$call = static function () use ($config): void {
    lab_tell(static fn () => (new OneHop\Redis('alpha', $config))->incr('key'));
};

$fork($call);
$cluster->config(['redis_auth' => 'new'], null, 'nodes.yml');
$cluster->forgetStatistics();
for ($i = 0; $i < 5; $i++) {
    $fork($call);
}
$call();
/*
 * Six processes with an inquiry each would ask twelve times. If one of two nodes is late, the third
 * one is asked, too.
 */
echo in_array($cluster->questions(), [1, 2, 3], true)
    ? "one inquiry"
    : "{$cluster->questions()} questions", "\n";
?>
--EXPECT--
value: 1
value: 2
value: 3
value: 4
value: 5
value: 6
value: 7
one inquiry
