--TEST--
A caller that waits for a connection fails with the others when the node is found dead
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$page = lab_fpm(['display_errors' => '1'], 6);
/* The first requests take all connections; the others begin when none is left. */
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
for ($i = 0, $first = false; !$first && $i < $_GET['size']; $i++) {
    $first = (bool) @fopen("{$_GET['turns']}-$i", 'x');
}
$connections = static fn () => OneHop\Topology::status()[$_GET['pool']]['nodes'][0]['connections'];
for ($i = 0; !$first && $i < 1000 && $connections()['leased'] < $_GET['size']; $i++) {
    usleep(2000);
}
if (!$first) {
    usleep(300000);
    isset($_GET['go']) && touch($_GET['go'], time() + 1);
}
echo $first ? 'first: ' : 'then: ';
$begin = microtime(true);
try {
    echo $redis->get('key');
} catch (RedisException $e) {
    echo preg_replace(['/\d+ ms/', '/, node.*/'], ['N ms', ''], $e->getMessage()), ', ',
        $e->mayHaveExecuted() ? 'maybe' : 'not sent';
    $late = microtime(true) - $begin - $_GET['timeout'] / 1000;
    echo $late < 3 ? '' : ', too late', $first && $late > 0.2 ? ', noticed late' : '';
}
PHP;

/* If a busy machine notices a deadline late, no node is blamed. Then a new node is tried. */
$pool = 0;
do {
    [$port, $id] = lab_redis_process();
    lab_plain($port)->set('key', 'value');
    $query = [
        'config' => lab_config(
            [$port],
            ['pool_size' => 2, 'timeout' => 2000, 'server_failure_limit' => 1],
        ),
        'timeout' => 2000,
        'turns' => Lab::file("turns$pool"),
        'size' => 2,
        'pool' => $pool,
    ];
    Lab::signal($id, SIGSTOP);
    $told = array_count_values($page($script, $query, 6));
    Lab::signal($id, SIGCONT);
    $pool++;
} while ($pool < 20 && preg_grep('/noticed late/', array_keys($told)));
/* If callers wake up late, one of them may be the first to try the node after its rest. */
$tried = 'then: No answer within N ms, maybe';
$resting = 'then: The node is resting after a failure: No answer within N ms, not sent';
if (($told[$tried] ?? 0) === 1) {
    unset($told[$tried]);
    $told[$resting] = ($told[$resting] ?? 0) + 1;
}
ksort($told);
foreach ($told as $what => $times) {
    echo "$times times $what\n";
}

echo "a node that answers late, and a call that then has little time left\n";
$go = Lab::file('go');
$slow = lab_node('
    command()
    until(lambda: os.path.exists(test.go))
    time.sleep(8)
    value("late")
    await_close()', ['go' => $go]);
$query = [
    'config' => lab_config(
        [$slow],
        ['pool_size' => 1, 'timeout' => 12000, 'server_failure_limit' => 1],
        'slow.yml',
    ),
    'timeout' => 12000,
    'turns' => Lab::file("turns$pool"),
    'size' => 1,
    'pool' => $pool,
    'go' => $go,
];
$told = $page($script, $query, 2);
sort($told);
echo implode("\n", $told), "\n";
$state = '<?php echo OneHop\Topology::status()[$_GET["pool"]]["nodes"][0]["state"];';
echo $page($state, ['pool' => $pool]), "\n";
?>
--EXPECT--
2 times first: No answer within N ms, maybe
4 times then: The node is resting after a failure: No answer within N ms, not sent
a node that answers late, and a call that then has little time left
first: late
then: No answer within N ms, maybe
up
