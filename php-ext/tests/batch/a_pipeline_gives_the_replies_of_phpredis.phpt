--TEST--
A pipeline over all nodes returns what phpredis' pipeline returns on one node, in the same order
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/parity.inc';

/** Runs the whole walk in one pipeline. Returns what each call and exec() returned. */
function pipelined(Redis $redis): array
{
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

$expected = pipelined(lab_plain(lab_redis()));
$redis = new OneHop\Redis('alpha', lab_config([
    lab_redis(), lab_redis(), lab_redis(), lab_redis(),
]));
var_dump(count($expected) > 160);
var_dump(parity_compare($expected, pipelined($redis)));
?>
--EXPECT--
bool(true)
bool(true)
