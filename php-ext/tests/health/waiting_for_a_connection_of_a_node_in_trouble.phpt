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
    echo microtime(true) - $begin < $_GET['timeout'] / 1000 + 1 ? '' : ', too late';
}
PHP;

[$port, $id] = lab_redis_process();
lab_plain($port)->set('key', 'value');
$query = [
    'config' => lab_config(
        [$port],
        ['pool_size' => 2, 'timeout' => 2000, 'server_failure_limit' => 1],
    ),
    'timeout' => 2000,
    'turns' => Lab::file('turns'),
    'size' => 2,
    'pool' => 0,
];
Lab::signal($id, SIGSTOP);
$told = array_count_values($page($script, $query, 6));
Lab::signal($id, SIGCONT);
ksort($told);
foreach ($told as $what => $times) {
    echo "$times times $what\n";
}

echo "a node that had no time left\n";
$go = Lab::file('go');
$slow = lab_node('
    $node->command();
    while (!file_exists("' . $go . '")) {
        usleep(1000);
        clearstatcache();
    }
    usleep(1500000);
    $node->value("late");
    $node->command();
    sleep(30);');
$query = [
    'config' => lab_config(
        [$slow],
        ['pool_size' => 1, 'timeout' => 3000, 'server_failure_limit' => 1],
        'slow.yml',
    ),
    'timeout' => 3000,
    'turns' => Lab::file('turns2'),
    'size' => 1,
    'pool' => 1,
    'go' => $go,
];
$told = $page($script, $query, 2);
sort($told);
echo implode("\n", $told), "\n";
echo $page('<?php echo OneHop\Topology::status()[1]["nodes"][0]["state"];'), "\n";
?>
--EXPECT--
2 times first: No answer within N ms, maybe
4 times then: The node rests: No answer within N ms, not sent
a node that had no time left
first: late
then: No answer within N ms, maybe
up
