--TEST--
Null for an optional argument is an answer or a TypeError, whatever phpredis describes
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * phpredis 5.3.7 takes arguments that its reflection does not list, and a null among them ends the
 * process. Each method is called with nulls up to three places behind its list, in a process of its
 * own, which prints the place before each call.
 */
$config = lab_config([lab_redis()]);
$script = '<?php
    set_error_handler(fn () => true);
    $calls = json_decode(file_get_contents($argv[2]), true)["calls"];
    $leave = ["multi", "exec", "discard", "pipeline", "subscribe", "psubscribe", "ssubscribe",
        "connect", "open", "pconnect", "popen", "close"];
    foreach ($calls as $name => $forms) {
        /* A blocking one ends the script by an error of its own if its timeout is not a number. */
        if (in_array(strtolower($name), $leave) || preg_match("/^b[lrz]|^wait/i", $name)
            || !method_exists("Redis", $name)) {
            continue;
        }
        $count = (new ReflectionMethod("Redis", $name))->getNumberOfParameters();
        $with = array_values(array_filter($forms[0]["with"], fn ($a) => $a !== "@iterator"));
        $with = array_map(fn ($a) => $a === "@callback" ? fn () => 1 : $a, $with);
        for ($more = 1; $more <= 3; $more++) {
            $arguments = array_pad($with, max($count, count($with)) + $more, null);
            fwrite(STDOUT, "$name with " . count($arguments) . "\n");
            try {
                $redis = new OneHop\Redis("alpha", $argv[1]);
                $redis->setOption(Redis::OPT_READ_TIMEOUT, 0.2);
                $redis->$name(...$arguments);
            } catch (Throwable) {
            }
        }
    }
    echo "lived\n";';
$calls = __DIR__ . '/../../../spec/route/phpredis_calls.json';
$told = explode("\n", trim(lab_run($script, [$config, realpath($calls)])));
lab_show('at the end', end($told));
lab_show('many calls', count($told) > 500);

$redis = new OneHop\Redis('alpha', $config);
$warnings = [];
set_error_handler(function (int $level, string $text) use (&$warnings): bool {
    $warnings[] = $text;
    return true;
});
$redis->set('k', 5);
lab_show('DECR', $redis->decr('k', null) === $redis->incr('k', null));
lab_show('a warning for each', count($warnings) === 2 || method_exists('Redis', 'blmove'));
?>
--EXPECT--
at the end: "lived"
many calls: true
DECR: true
a warning for each: true
