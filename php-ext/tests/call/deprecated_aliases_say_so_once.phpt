--TEST--
A deprecated alias warns once per call, as in phpredis, even if the call reaches several nodes
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$plain = lab_plain(lab_redis());
$ours = new OneHop\Redis('alpha', lab_config([lab_redis(), lab_redis(), lab_redis()]));
$calls = [
    'getkeys' => ['*'], 'delete' => [['a', 'b', 'c', 'd', 'e']],
    'getmultiple' => [['a', 'b', 'c', 'd', 'e']], 'settimeout' => ['a', 10], 'lget' => ['l', 0],
    'ssize' => ['s'], 'evaluate' => ['return 1', ['a'], 1], 'substr' => ['a', 0, 1],
];
$said = 0;
set_error_handler(function (int $level, string $text) use (&$said): bool {
    $said += (int) str_contains($text, 'is deprecated');
    return true;
});
$count = function (Redis $redis, callable $call) use (&$said): int {
    $said = 0;
    $call($redis);
    return $said;
};
$deprecated = 0;
foreach ($calls as $method => $arguments) {
    if (!method_exists('Redis', $method)) {
        continue;
    }
    $once = $count($plain, fn ($redis) => $redis->$method(...$arguments));
    $deprecated += $once;
    $count($ours, fn ($redis) => $redis->$method(...$arguments)) === $once || print("$method\n");
    $count($ours, fn ($redis) => $redis->pipeline()->$method(...$arguments)->exec()) === $once
        || print("$method in a pipeline\n");
}
var_dump($deprecated > 0 || version_compare(phpversion('redis'), '6.0.0') >= 0);
?>
--EXPECT--
bool(true)
