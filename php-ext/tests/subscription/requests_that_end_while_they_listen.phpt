--TEST--
A request that ends inside a callback leaves no subscription, no connection and no lock behind
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/processes.inc';

$config = lab_config($ports = [lab_redis(), lab_redis()]);
$fpm = lab_fpm(['memory_limit' => '24M', 'html_errors' => '0']);
$begin = '<?php
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    $listen = fn ($callback) => $redis->psubscribe(["p*"], $callback);
    ini_set("session.save_handler", "onehop");
    ini_set("session.save_path", "pool=alpha&config=" . $_GET["config"]);
    ini_set("redis.session.locking_enabled", 1);
    ini_set("redis.session.lock_wait_time", 1000);
    session_id("s");
    session_start();
    $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1; ';
$ways = [
    'exit' => '$listen(function () { exit("bye"); });',
    'fatal error' => '$listen(function () { undefined_function(); });',
    'memory_limit' => '$listen(function () { str_repeat("x", 50000000); });',
    'uncaught exception' => '$listen(function () { throw new Exception("x"); });',
    'close' => '$listen(function ($redis) { $redis->close(); });',
    'a fiber that is never resumed' => '
        $fiber = new Fiber(fn () => $listen(fn () => Fiber::suspend()));
        $fiber->start();',
    'a nested subscription' => '
        $listen(function ($redis) {
            $redis->psubscribe(["other*"], function () {});
            exit("bye");
        });',
];
if (!method_exists('Redis', 'ssubscribe')) {
    array_pop($ways); /* phpredis 5 would wait for a message of the inner subscription. */
}
$subscribers = function () use ($ports): int {
    $count = 0;
    foreach ($ports as $port) {
        $end = microtime(true) + 30;
        while (($left = lab_plain($port)->pubsub('numpat')) > 0 && microtime(true) < $end) {
            usleep(2000);
        }
        $count += $left;
    }
    return $count;
};
$wrong = [];
foreach ($ways as $name => $way) {
    speaker(sprintf("say(%d, 'p1', 'go');", $ports[1]));
    $answer = $fpm($begin . $way, ['config' => $config]);
    if ($subscribers() !== 0) {
        $wrong[] = "$name: $answer";
    }
}
echo $wrong ? implode("\n", $wrong) : 'nothing is left', "\n";
$redis = new OneHop\Redis('alpha', $config);
echo $redis->get('PHPREDIS_SESSION:s') === 'n|i:' . count($ways) . ';'
    ? 'every request has written its session'
    : $redis->get('PHPREDIS_SESSION:s'), "\n";
var_dump($redis->exists('PHPREDIS_SESSION:s_LOCK'));
?>
--EXPECT--
nothing is left
every request has written its session
int(0)
