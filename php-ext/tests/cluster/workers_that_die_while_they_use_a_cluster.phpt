--TEST--
A process that is killed, forks, suspends or runs out of memory harms no other process
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$low = lab_key_in(5);
$high = lab_key_in(9000);
$moves = 'f"-MOVED 5 127.0.0.1:{b}\r\n"
    if port == a and words[0] == "GET" and words[1].startswith("' . $low . '") else ';

echo "-- the worker that fetches the first map is killed: the next one does not wait for it\n";
$liars = new Liars();
$liars->behave('time.sleep(30) if words[0] == "CLUSTER" else None');
$fpm = lab_fpm(['onehop.config' => $liars->config(['timeout' => 10000])], 2);
$master = array_key_last(Lab::$processes);
file_put_contents(
    Lab::file('contact.php'),
    '<?php file_put_contents("' . Lab::file('pid') . '", getmypid()); new OneHop\Redis("alpha");',
);
Lab::start([
    'env', 'SCRIPT_FILENAME=' . Lab::file('contact.php'), 'REQUEST_METHOD=GET', 'cgi-fcgi', '-bind',
    '-connect', Lab::file('fpm.sock'),
]);
Lab::until(fn () => lab_commands($liars->ports[0]) !== [], 'question');
$liars->behave('None');
posix_kill((int) file_get_contents(Lab::file('pid')), SIGKILL);
$page = '<?php
    try {
        $redis = new OneHop\Redis("alpha");
        $values = $redis->pipeline();
        foreach (explode(",", $_GET["keys"]) as $key) {
            $values->get($key);
        }
        $short = fn ($value) => strlen($value) > 100 ? strlen($value) : $value;
        echo implode(",", array_map($short, $values->exec()));
    } catch (Throwable $e) {
        echo get_class($e), $e->getMessage();
    }';
$get = fn (callable $fpm, Liars $liars, string ...$keys) => strtr(
    $fpm($page, ['keys' => implode(',', $keys)]),
    [$liars->ports[0] => 'a', $liars->ports[1] => 'b', $low => 'low', $high => 'high'],
);
echo $get($fpm, $liars, $low, $high), "\n";
Lab::stop($master);

echo "-- memory_limit is reached while redirects are followed\n";
$liars = new Liars();
$fpm = lab_fpm(['onehop.config' => $liars->config(['pool_size' => 1]), 'memory_limit' => '16M']);
echo $get($fpm, $liars, $low, $high), "\n";
$liars->behave(
    $moves . 'bulk("x" * 6000000) if words[-1].endswith("big") else None',
);
$fatal = 0;
for ($i = 0; $i < 5; $i++) {
    $answer = $get(
        $fpm,
        $liars,
        "{$low}1big",
        "{$low}2big",
        $low,
        $high,
        "{$low}3big",
        "{$low}4big",
    );
    $fatal += str_contains($answer, 'Allowed memory size') || $answer === '';
    echo $get($fpm, $liars, $low, $high), "\n";
}
lab_show('it was reached', $fatal > 0);

echo "-- the map is fetched while calls need the only connection\n";
$liars = new Liars();
$redis = $liars->client(['pool_size' => 1]);
$redis->get($high);
usleep(1100000);
$liars->behave($moves . 'time.sleep(0.1) if words[0] == "CLUSTER" else None');
$wrong = 0;
for ($i = 0; $i < 100; $i++) {
    $wrong += $redis->get($low) !== "{$liars->ports[1]} $low"
        || $redis->get($high) !== "{$liars->ports[1]} $high";
    usleep(2000);
}
lab_show('wrong', $wrong);

echo "-- a fork while the map is fetched and a pipeline is open\n";
$liars = new Liars();
$config = $liars->config();
$redis = new OneHop\Redis('alpha', $config);
$liars->tell([[0, 16383, $liars->ports[1]]]);
$redis->get($high);
usleep(1100000);
$liars->behave(
    $moves . 'time.sleep(0.2) if words[:2] == ["CLUSTER", "SHARDS"] else None',
);
$expected = ["{$liars->ports[1]} {$low}1", "{$liars->ports[1]} $high"];
$redis->get($low);
$redis->pipeline()->get("{$low}1");
$redis->get($high);
if (($child = pcntl_fork()) === 0) {
    $is_right = $redis->exec() === $expected && $redis->get($low) === "{$liars->ports[1]} $low";
    file_put_contents(Lab::file('child'), $is_right ? 'right' : 'wrong');
    posix_kill(getmypid(), SIGKILL);
}
pcntl_waitpid($child, $status);
lab_show('the parent is right', $redis->exec() === $expected);
lab_show('the child is right', file_get_contents(Lab::file('child')));

echo "-- fibers that are suspended while they pack values, and a newer map\n";
final class Suspended
{
    public function __serialize(): array
    {
        Fiber::suspend();
        return [];
    }
}
$liars = new Liars(6);
$redis = $liars->client();
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$ok = '{
    "MSET": b"+OK\r\n",
    "SET": b"+OK\r\n",
    "GET": bulk(f"s:{len(words[-1])}:\"{words[-1]}\";"),
}.get(words[0])';
$liars->behave($ok);
$fibers = [];
foreach ([5, 6, 7] as $i) {
    $fibers[] = $fiber = new Fiber(function () use ($redis, $i) {
        $values = [];
        foreach ([$i, $i + 10, 9000 + $i, 9010 + $i] as $slot) {
            $values[lab_key_in($slot)] = new Suspended();
        }
        return $redis->mset($values) && $redis->set(lab_key_in($i), new Suspended());
    });
    $fiber->start();
}
$liars->tell(array_map(
    fn ($i) => [3277 * $i, min(3277 * ($i + 1), 16384) - 1, $liars->ports[$i + 1]],
    range(0, 4),
));
$liars->behave($moves . $ok);
$wrong = $steps = 0;
while ($fibers = array_filter($fibers, fn ($fiber) => !$fiber->isTerminated())) {
    $wrong += $redis->get($low) !== $low || $redis->get($high) !== $high;
    $fibers[array_rand($fibers)]->resume();
    $steps++;
}
lab_show('wrong', $wrong);
lab_show('steps', $steps);
?>
--EXPECT--
-- the worker that fetches the first map is killed: the next one does not wait for it
a low,b high
-- memory_limit is reached while redirects are followed
a low,b high
b low,b high
b low,b high
b low,b high
b low,b high
b low,b high
it was reached: true
-- the map is fetched while calls need the only connection
wrong: 0
-- a fork while the map is fetched and a pipeline is open
the parent is right: true
the child is right: "right"
-- fibers that are suspended while they pack values, and a newer map
wrong: 0
steps: 15
