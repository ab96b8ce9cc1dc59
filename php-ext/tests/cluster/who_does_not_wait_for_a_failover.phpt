--TEST--
Calls without a key, without a free descriptor, or for a master that is full wait for no failover
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

/* No server calls another one failed, however busy the machine is. */
$cluster = new LabCluster(3, 1, '--cluster-node-timeout', '60000');
[$key, $other] = [lab_key_in(1), lab_key_in(16000)];
$full = $cluster->owner(1);
/* The only seed has the other slots, so there is no connection yet to the node of the key. */
$config = $cluster->config(['timeout' => 60000], [$cluster->owner(16000)]);
$redis = new OneHop\Redis('alpha', $config);
$redis->set($other, 'value');
$cluster->call($full, 'SET', $key, 'value');
$cluster->call($full, 'CONFIG', 'SET', 'maxclients', '1');

/* A failover may take 17 s. */
$try = static function (string $name, callable ...$calls) {
    $begin = microtime(true);
    foreach ($calls as $call) {
        try {
            $call();
            $told['answered'] = true;
        } catch (OneHop\NodeDown | OneHop\PartialBatch $failure) {
            $isFull = str_contains($failure->getMessage(), 'accepts no more connections');
            $told[$isFull ? 'full' : 'down'] = true;
        }
    }
    echo "$name: ", implode(', ', array_keys($told));
    echo microtime(true) - $begin < 15 ? "\n" : ", late\n";
};
$try(
    'a full master',
    fn () => $redis->append($key, 'more'),
    fn () => $redis->getRange($key, 0, -1),
    fn () => $redis->mGet([$key, $other]),
    fn () => $redis->pipeline()->set($key, 'v')->get($other)->exec(),
);
$cluster->call($full, 'CONFIG', 'SET', 'maxclients', '1000');
lab_show('afterwards', $redis->get($key));

$script = '<?php
    [, $config, $key, $other] = $argv;
    $redis = new OneHop\Redis("alpha", $config);
    $redis->get($other);
    while ($files[] = @fopen("/dev/null", "r")) {
    }
    try {
        $redis->get($key);
    } catch (OneHop\NodeDown $failure) {
        echo preg_replace("/, node.*/", "", $failure->getMessage()), "\n";
    }
    $files = null;
    echo $redis->get($key), "\n";';
echo lab_run($script, [$config, $key, $other], ['prlimit', '--nofile=64', '--']);

$cluster->kill($full);
$try('no key', fn () => $redis->dbSize(), fn () => $redis->dbSize());
/* One of these calls may try whether the dead node is back. */
$try('no key, any node', function () use ($redis) {
    for ($answers = 0; $answers < 3;) {
        try {
            $answers += $redis->eval('return 1');
        } catch (OneHop\NodeDown) {
            usleep(1000);
        }
    }
});
?>
--EXPECT--
a full master: full
afterwards: "value"
Too many open files while connecting
value
no key: down
no key, any node: answered
