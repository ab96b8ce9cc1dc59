--TEST--
A client copes with an endless map, a map that changes during packing, and a dying replica
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$low = lab_key_in(5);
$high = lab_key_in(9000);

echo "-- a map of 200 MB\n";
$endless = 'send("$200000000\r\n", *[b"x" * 1000000] * 200) or "\r\n"
    if words[:2] == ["CLUSTER", "SHARDS"]
    else ';
$liars = new Liars();
$liars->behave("$endless None");
try {
    $liars->client(['timeout' => 2000]);
} catch (OneHop\ProtocolViolation | OneHop\DeadlineExceeded) {
    echo "refused\n"; /* The client asks until the deadline; the last attempt may be cut short. */
}
lab_show('little memory', memory_get_peak_usage() < 40e6);

echo "-- the same map, fetched beside the calls and after a request with little memory\n";
$liars = new Liars();
$config = $liars->config();
$redis = new OneHop\Redis('alpha', $config);
$redis->get($high);
$fpm = lab_fpm(['memory_limit' => '4M', 'onehop.config' => $config]);
$page = '<?php
    $redis = new OneHop\Redis("alpha");
    for ($i = 0; $i < 20; $i++) {
        echo $redis->get($_GET["key"]), ",";
        usleep(1000);
    }';
$ask = fn (string $key)
    => $fpm($page, ['key' => $key]) === str_repeat("{$liars->ports[1]} $key,", 20);
lab_show('a worker gets its replies', $ask($high));
$liars->behave(
    "$endless f'-MOVED 5 127.0.0.1:{b}\\r\\n' if port == a and words[-1] == '$low' else None",
);
usleep(1100000);
$wrong = 0;
for ($end = microtime(true) + 1; microtime(true) < $end;) {
    $wrong += $redis->get($low) !== "{$liars->ports[1]} $low";
}
lab_show('wrong replies within a second of such maps', $wrong);
lab_show('little memory', memory_get_peak_usage() < 40e6);
for ($i = 0; $i < 4; $i++) {
    lab_show('a worker with 4 MB gets its replies', $ask($low));
    usleep(500000);
}
$liars->behave('None');
lab_show('a worker with 4 MB and a good map', $ask($high));

echo "-- the map changes while the values of an MSET are packed\n";
final class Curious
{
    public static Closure $look;
    public function __serialize(): array
    {
        (self::$look)();
        return [];
    }
}
$liars = new Liars(12);
$redis = $liars->client();
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$ok = '{"MSET": "+OK\r\n", "GET": "$-1\r\n"}.get(words[0])';
$liars->behave($ok);
$times = 0;
Curious::$look = function () use ($redis, $liars, $low, $ok, &$times) {
    if ($times++ === 1) {
        $ranges = array_map(
            fn ($i) => [1489 * $i, min(1489 * ($i + 1), 16384) - 1, $liars->ports[$i + 1]],
            range(0, 10),
        );
        $liars->tell($ranges);
        $liars->behave(
            "'-MOVED 5 127.0.0.1:{$liars->ports[1]}\\r\\n' if words[0] == 'GET' else $ok",
        );
        try {
            $redis->get($low);
        } catch (OneHop\Exception) {
        }
        $liars->behave($ok);
    }
    for ($i = 0; $i < 5; $i++) {
        $redis->get(lab_key_in(100 + $i));
    }
};
$values = [];
foreach ([5, 6, 7, 9000, 9001, 10000, 10001] as $slot) {
    $values[lab_key_in($slot)] = new Curious();
}
lab_show('MSET while the map changes', $redis->mset($values));
lab_show('MSET with the new map', $redis->mset($values));
lab_show('GET of a key that MSET did not reach', $redis->get($high));

echo "-- a replica dies while it sends an error\n";
foreach (['-LOADI', '+OK\r\n-LOADI', '-MOVED 5 127'] as $bytes) {
    $liars = new Liars();
    $liars->tell([[0, 16383, $liars->ports[0], $liars->ports[1]]]);
    $redis = $liars->client(['read_from' => 'prefer_replica']);
    $redis->get($low);
    $liars->behave(
        'send("' . $bytes . '") or close() if port == b and words[0] == "GET" else None',
    );
    lab_show("after $bytes the master answers", $redis->get($low) === "{$liars->ports[0]} $low");
    lab_show('and a pipeline', $redis->pipeline()->get($low)->get($high)->exec()
        === ["{$liars->ports[0]} $low", "{$liars->ports[0]} $high"]);
}
?>
--EXPECT--
-- a map of 200 MB
refused
little memory: true
-- the same map, fetched beside the calls and after a request with little memory
a worker gets its replies: true
wrong replies within a second of such maps: 0
little memory: true
a worker with 4 MB gets its replies: true
a worker with 4 MB gets its replies: true
a worker with 4 MB gets its replies: true
a worker with 4 MB gets its replies: true
a worker with 4 MB and a good map: true
-- the map changes while the values of an MSET are packed
MSET while the map changes: true
MSET with the new map: true
GET of a key that MSET did not reach: false
-- a replica dies while it sends an error
after -LOADI the master answers: true
and a pipeline: true
after +OK\r\n-LOADI the master answers: true
and a pipeline: true
after -MOVED 5 127 the master answers: true
and a pipeline: true
