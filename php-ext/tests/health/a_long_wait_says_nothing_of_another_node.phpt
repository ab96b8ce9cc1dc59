--TEST--
If a node's entry passes to another node, a late reply does not change the other node's health
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_redis();
$config = lab_config([$port]);
$script = <<<'PHP'
<?php
[, $config, $port, $dead, $answered] = $argv;
$redis = new OneHop\Redis('alpha', $config);
$redis->get('key');
if (pcntl_fork() !== 0) {
    $reply = $redis->blPop(['list'], 60);
    touch($answered);
    pcntl_wait($status);
    echo 'the reply: ', json_encode($reply), "\n";
    exit;
}
$failures = static fn () => OneHop\Topology::status()[0]['nodes'][0]['failures'];
file_put_contents("$config.new", str_replace(":$port:", ":$dead:", file_get_contents($config)));
rename("$config.new", $config);
unset($redis);
usleep(1200000);
/* The last client here that knew the first node leaves it ... */
$redis = new OneHop\Redis('alpha', $config);
usleep(2200000);
try {
    $redis->get('key'); /* ... so this node gets its entry, the only one. */
} catch (OneHop\NodeDown $e) {
    echo 'failures: ', $failures(), "\n";
}
$plain = new Redis();
$plain->connect('127.0.0.1', (int) $port);
$plain->rPush('list', 'value');
while (!file_exists($answered)) {
    usleep(10000);
    clearstatcache();
}
echo 'failures: ', $failures(), "\n";
PHP;
echo lab_run(
    $script,
    [$config, (string) $port, (string) Lab::port(), Lab::file('answered')],
    settings: ['onehop.max_nodes' => '1', 'error_log' => Lab::file('php.log')],
);
?>
--EXPECT--
failures: 1
failures: 1
the reply: ["list","value"]
