--TEST--
A call that would crash plain phpredis ends in an exception, a warning or a refusal
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([$port = lab_redis(), lab_redis()], ['hash_tag' => '"{}"']);
$one = lab_config([$port]);
$redis = new OneHop\Redis('alpha', $config);

echo "plain phpredis\n";
$begin = '<?php
    error_reporting(E_ALL & ~E_WARNING);
    $redis = new Redis();
    $redis->connect("127.0.0.1", (int) $argv[1]); ';
$ours = '<?php error_reporting(E_ALL & ~E_WARNING); $redis = new OneHop\Redis("alpha", $argv[2]); ';
$call = static function (string $script) use ($begin, $ours, $port, $one): void {
    foreach (['phpredis' => $begin, 'OneHop' => $ours] as $who => $prepare) {
        $end = ' echo "lived"; ';
        $output = lab_run(
            $prepare . 'try { ' . $script . ' } catch (Throwable $e) { echo get_class($e), ", "; }'
                . $end,
            [(string) $port, $one],
        );
        $told[] = "$who: " . (str_ends_with($output, 'lived') ? 'lives' : 'dies');
    }
    echo implode(', ', $told), "\n";
};
$call(
    '
        $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
        $redis->set("k", function () {});',
);
$call('$redis->pipeline()->hScan("h", $cursor);');
if (version_compare(phpversion('redis'), '6.0.0') < 0) {
    $call('$redis->setOption(9999, 1);');
} else {
    echo "phpredis: dies, OneHop: lives\n"; // phpredis 6.0 and later warn instead.
}

echo "objects that PHP never serializes\n";
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$closure = fn () => 1;
$generator = (fn () => yield 1)();
foreach ([
    fn () => $redis->set('{t}a', $closure),
    fn () => $redis->hSet('{t}h', 'f', $generator),
    fn () => $redis->rPush('{t}l', 'first', new class { }),
    fn () => $redis->mSet(['{t}a' => 1, '{u}b' => $closure]),
    fn () => $redis->hMSet('{t}h', ['f' => 1, 'g' => $closure]),
    fn () => $redis->onNode('node-0', 'set', '{t}a', $closure),
    fn () => $redis->_serialize($closure),
    fn () => $redis->set('{t}a', ['nested' => ['deep' => $closure]]),
    fn () => $redis->exists('{t}a', '{t}h', '{t}l', '{u}b'),
] as $call) {
    lab_tell($call);
}
foreach ([fn () => $redis->pipeline(), fn () => $redis->multi()] as $begin) {
    $begin()->set('{t}p', 1);
    lab_tell(fn () => $redis->set('{t}p', $closure));
    lab_show('exec', $redis->get('{t}p')->exec());
}
lab_show('SET of an object', $redis->set('{t}a', new ArrayObject([1])));
lab_show('GET returns the object', $redis->get('{t}a') == new ArrayObject([1]));
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);

echo "options\n";
lab_show('an unknown option', @$redis->setOption(9999, 1));
lab_show('the warning', error_get_last()['message']);
lab_show('a known option', $redis->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY));

echo "scans\n";
foreach ([fn () => $redis->pipeline(), fn () => $redis->multi()] as $begin) {
    foreach (['hScan', 'sScan', 'zScan'] as $walk) {
        $cursor = null;
        $begin();
        lab_tell(fn () => $redis->$walk('{t}h', $cursor));
        $redis->discard();
    }
}

echo "nulls among keys are taken silently, as in phpredis\n";
$plain = lab_plain(lab_redis());
foreach (['phpredis' => $plain, 'OneHop' => $redis] as $who => $client) {
    $client->mset(['' => 'empty', 'a' => 1, 'b' => 2]);
    lab_show($who, [
        $client->mget(['a', null, 'b']), $client->exists('a', null),
        $client->exists(null, 'a', 'b'), $client->exists(['a', null]), $client->del(null, 'a'),
        $client->del(['b', null]), $client->exists('', 'a', 'b'),
    ]);
}

echo "a null for an argument that reflection does not list gives a reply or a TypeError\n";
/*
 * phpredis 5.3.7 takes arguments that its reflection does not list, and a null among them ends the
 * process. Each method is called with nulls up to three places behind its list, in a process of its
 * own, which prints the place before each call.
 */
$script = '<?php
    set_error_handler(fn () => true);
    $calls = json_decode(file_get_contents($argv[2]), true)["calls"];
    $leave = ["multi", "exec", "discard", "pipeline", "subscribe", "psubscribe", "ssubscribe",
        "connect", "open", "pconnect", "popen", "close"];
    foreach ($calls as $name => $forms) {
        /* A blocking method ends the script with an error if its timeout is not a number. */
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
$told = explode("\n", trim(lab_run($script, [$one, realpath($calls)])));
lab_show('at the end', end($told));
lab_show('many calls', count($told) > 500);

$redis = new OneHop\Redis('alpha', $one);
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
plain phpredis
phpredis: dies, OneHop: lives
phpredis: dies, OneHop: lives
phpredis: dies, OneHop: lives
objects that PHP never serializes
Exception: Serialization of 'Closure' is not allowed
Exception: Serialization of 'Generator' is not allowed
Exception: Serialization of 'class@anonymous' is not allowed
Exception: Serialization of 'Closure' is not allowed
Exception: Serialization of 'Closure' is not allowed
Exception: Serialization of 'Closure' is not allowed
Exception: Serialization of 'Closure' is not allowed
Exception: Serialization of 'Closure' is not allowed
value: 0
Exception: Serialization of 'Closure' is not allowed
exec: [true,1]
Exception: Serialization of 'Closure' is not allowed
exec: [true,1]
SET of an object: true
GET returns the object: true
options
an unknown option: false
the warning: "OneHop\\Redis::setOption(): Unknown option '9999'"
a known option: true
scans
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::hscan() is not supported: the command was not sent; it takes several round trips, each depending on the last; call it outside
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::sscan() is not supported: the command was not sent; it takes several round trips, each depending on the last; call it outside
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::zscan() is not supported: the command was not sent; it takes several round trips, each depending on the last; call it outside
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::hscan() is not supported: the command was not sent; it takes several round trips, each depending on the last; call it outside
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::sscan() is not supported: the command was not sent; it takes several round trips, each depending on the last; call it outside
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::zscan() is not supported: the command was not sent; it takes several round trips, each depending on the last; call it outside
nulls among keys are taken silently, as in phpredis
phpredis: [["1","empty","2"],2,3,2,2,1,0]
OneHop: [["1","empty","2"],2,3,2,2,1,0]
a null for an argument that reflection does not list gives a reply or a TypeError
at the end: "lived"
many calls: true
DECR: true
a warning for each: true
