--TEST--
All workers of a php-fpm together hold at most pool_size connections per node, even after kills
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const WORKERS = 8;
const SIZE = 3;
$ports = [lab_redis(), lab_redis()];
$plain = array_map(lab_plain(...), $ports);
$config = lab_config($ports, ['pool_size' => SIZE]);
$fleet = new OneHop\Redis('alpha', $config);
for ($i = 0; $i < 100; $i++) {
    $fleet->set("key:$i", "value of key:$i");
}
$page = lab_fpm(['display_errors' => '1'], WORKERS);

/* Each reply names its key. Some requests end in the middle of a batch or a transaction. */
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
$wrong = 0;
for ($round = 0; $round < 20; $round++) {
    $keys = array_map(static fn ($i) => 'key:' . random_int(0, 99), range(0, 9));
    $pipeline = $redis->pipeline();
    foreach ($keys as $key) {
        $pipeline->get($key);
    }
    foreach ($pipeline->exec() as $i => $value) {
        $wrong += $value !== "value of $keys[$i]";
    }
    $wrong += $redis->mget($keys) !== array_map(static fn ($key) => "value of $key", $keys);
    $key = 'key:' . random_int(0, 99);
    $wrong += $redis->get($key) !== "value of $key";
}
echo getmypid(), ' ', $wrong, ' wrong';
if (random_int(0, 3) === 0) {
    $redis->multi()->get($key);
    exit;
}
PHP;
/* How many clients a node has at most, beside the two of this script. */
$clients = static fn (): int
    => max(array_map(static fn (Redis $node) => count($node->client('list')), $plain)) - 2;
$load = static function (
    int $seconds,
    ?callable $meanwhile = null,
) use ($page, $script, $config, $clients): array {
    $answers = $most = $workers = [];
    $end = microtime(true) + $seconds;
    while (
        microtime(true) < $end
        || (count($workers) < WORKERS && microtime(true) < $end + 30)
    ) {
        foreach ($page($script, ['config' => $config], 2 * WORKERS) as $answer) {
            [$worker, $answers[]] = explode(' ', $answer, 2) + ['', 'none'];
            $workers[$worker] = true;
        }
        $most[] = $clients();
        $meanwhile && $meanwhile(array_filter(array_keys($workers), is_int(...)));
    }
    return [array_unique($answers), max($most), count($workers), count($answers)];
};

[$answers, $most, $workers] = $load(3);
echo implode(', ', $answers), '; at most ', SIZE, ': ', var_export($most <= SIZE, true),
    '; workers: ', $workers, "\n";

$before = array_map(lab_accepted(...), $plain);
[$answers, $most, , $requests] = $load(2);
$opened = max(
    array_map(static fn ($node, $before) => lab_accepted($node) - $before, $plain, $before),
);
echo implode(', ', $answers), '; connections are reused: ',
    var_export($opened < $requests / 2, true), "\n";

echo "workers killed at any moment\n";
$killed = 0;
$killer = static function (array $workers) use (&$killed) {
    foreach (array_rand(array_flip($workers), 3) as $worker) {
        $killed += @posix_kill($worker, SIGKILL);
    }
};
foreach ([1, 2, 3] as $time) {
    [$answers, $most] = $load(2, static function (
        array $workers,
    ) use ($killer, $page, $script, $config) { $killer($workers); });
    echo 'only right answers: ', var_export(array_diff($answers, ['0 wrong', 'none']) === [], true),
        '; at most ', SIZE, ': ', var_export($most <= SIZE, true), "\n";
}
echo 'killed some: ', var_export($killed > 3, true), "\n";

echo "killed while they hold all connections\n";
$hold = '<?php
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    $redis->watch("key:1");
    echo getmypid();
    flush();
    ob_flush();
    usleep(3000000);';
$fast = '<?php
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    $start = microtime(true);
    echo $redis->get("key:1"), " ", microtime(true) - $start < 20 ? "in time" : "late";';
$holders = [];
file_put_contents(Lab::file('hold.php'), $hold);
for ($i = 0; $i < SIZE; $i++) {
    $holders[] = proc_open(
        ['cgi-fcgi', '-bind', '-connect', Lab::file('fpm.sock')],
        [
            ['file', '/dev/null', 'r'],
            ['file', Lab::file("held-$i"), 'w'],
            ['file', '/dev/null', 'w'],
        ],
        $pipes,
        null,
        [
            'SCRIPT_FILENAME' => Lab::file('hold.php'),
            'REQUEST_METHOD' => 'GET',
            'QUERY_STRING' => http_build_query(['config' => $config]),
        ],
    );
}
usleep(500000);
echo 'waits for a connection that is returned: ', $page($fast, ['config' => $config]), "\n";
array_map(proc_close(...), $holders);
echo $clients() <= SIZE ? "connections are back\n" : "too many connections\n";
?>
--EXPECT--
0 wrong; at most 3: true; workers: 8
0 wrong; connections are reused: true
workers killed at any moment
only right answers: true; at most 3: true
only right answers: true; at most 3: true
only right answers: true; at most 3: true
killed some: true
killed while they hold all connections
waits for a connection that is returned: value of key:1 in time
connections are back
