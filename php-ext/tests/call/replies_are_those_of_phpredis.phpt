--TEST--
Replies, errors, last errors and deprecations are those of plain phpredis, alone and in a pipeline
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/parity.inc';

$plain = lab_plain(lab_redis());
$redis = new OneHop\Redis('alpha', lab_config([
    lab_redis(), lab_redis(), lab_redis(), lab_redis(),
]));
$expected = parity_walk($plain);
lab_show('many calls', count($expected) > 160);
lab_show('method by method', parity_compare($expected, parity_walk($redis)));

/** Runs the whole walk in one pipeline. Returns what each call and exec() returned. */
function pipelined(Redis $redis): array
{
    $redis->flushAll();
    $told = [];
    $queued = [];
    $redis->pipeline();
    foreach (PARITY_CALLS as $call) {
        $name = json_encode($call, JSON_INVALID_UTF8_SUBSTITUTE);
        if ($call[0] === 'setOption') {
            continue;
        }
        try {
            $answer = @$redis->{$call[0]}(...array_slice($call, 1));
        } catch (Throwable $e) {
            $answer = get_class($e) . $e->getMessage();
        }
        if ($answer === $redis) {
            $queued[] = $name;
        } else {
            $told[] = "$name not queued: " . var_export($answer, true);
        }
    }
    foreach ($redis->exec() as $i => $reply) {
        $told[] = $queued[$i] . ' -> ' . var_export($reply, true);
    }
    return $told;
}
$expected = pipelined($plain);
lab_show('many calls in a pipeline', count($expected) > 160);
lab_show('in their order', parity_compare($expected, pipelined($redis)));

/* A deprecated alias warns once per call, even if the call reaches several nodes. */
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
    $count($redis, fn ($redis) => $redis->$method(...$arguments)) === $once || print("$method\n");
    $count($redis, fn ($redis) => $redis->pipeline()->$method(...$arguments)->exec()) === $once
        || print("$method in a pipeline\n");
}
lab_show(
    'aliases are deprecated',
    $deprecated > 0 || version_compare(phpversion('redis'), '6.0.0') >= 0,
);
restore_error_handler();

/* An error surfaces as false and getLastError(), or as a RedisException. */
$script = '
    for words in commands():
        is_loading = words[1] == "loading"
        reply("-LOADING Redis is loading" if is_loading else "-ERR odd " + words[1])';
$config = lab_config(
    ['127.0.0.1:' . lab_node($script) . ':1 odd', '127.0.0.1:' . lab_redis() . ':1 fine'],
);
$redis = new OneHop\Redis('alpha', $config);
$topology = new OneHop\Topology('alpha', $config);
$odd = [];
$keys = lab_key_of_each($config);
for ($i = 0; count($odd) < 2; $i++) {
    if ($topology->locate("key:$i")->name === 'odd') {
        $odd[] = "key:$i";
    }
}
$isKept = fn () => str_starts_with($redis->getLastError(), "ERR odd $odd[0]");
lab_show('GET that the server refuses', $redis->get($odd[0]));
lab_show('getLastError() has its error', $isKept());
lab_show('GET of an unset key', $redis->get($keys['fine']));
lab_show('getLastError() still has the error', $isKept());
$redis->clearLastError();
lab_show('last error after it was cleared', $redis->getLastError());
lab_show('MGET that one of two servers refuses', $redis->mget([$odd[0], $keys['fine']]));
lab_show('getLastError() has its error', $isKept());
lab_show(
    'in a pipeline: GET refused, unset key, SET refused',
    $redis->pipeline()->get($odd[0])->get($keys['fine'])->set($odd[1], 1)->exec(),
);

$redis = new OneHop\Redis(
    'alpha',
    lab_config(['127.0.0.1:' . lab_node($script) . ':1 odd'], [], 'odd.yml'),
);
lab_tell(fn () => $redis->get('loading'));
lab_show('GET that the server refuses', $redis->get('x'));
lab_show('last error', rtrim($redis->getLastError()));
?>
--EXPECT--
many calls: true
method by method: true
many calls in a pipeline: true
in their order: true
aliases are deprecated: true
GET that the server refuses: false
getLastError() has its error: true
GET of an unset key: false
getLastError() still has the error: true
last error after it was cleared: null
MGET that one of two servers refuses: false
getLastError() has its error: true
in a pipeline: GET refused, unset key, SET refused: [false,false,false]
RedisException: LOADING Redis is loading
GET that the server refuses: false
last error: "ERR odd x"
