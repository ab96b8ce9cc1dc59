--TEST--
One worker at a time probes a node that is down; the others fail immediately
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const WORKERS = 6;
[$up, [$port, $id]] = [lab_redis(), lab_redis_process()];
$config = lab_config([$up, $port]);
$topology = new OneHop\Topology('alpha', $config);
$keys = ['up' => null, 'down' => null];
for ($i = 0; in_array(null, $keys, true); $i++) {
    $keys[$topology->locate("key:$i")->port === $up ? 'up' : 'down'] = "key:$i";
}
$trace = Lab::file('trace');
$page = lab_fpm(['display_errors' => '1'], WORKERS, [
    'strace', '-f', '-qq', '-ttt', '-e', 'trace=connect', '-o', $trace,
]);
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
$told = [];
for ($i = 0; $i < 5; $i++) {
    try {
        $redis->set($_GET['up'], 1) || $told['other node'] = 'failed';
        $redis->get($_GET['down']);
        $told[] = 'answered';
    } catch (OneHop\NodeDown $e) {
        $told[] = $e->getNode() . ($e->mayHaveExecuted() ? ' maybe: ' : ': ') . preg_replace(
            ['/\d+ ms/', '/failure: Connection refused.*/', '/,.*/'],
            ['N ms', 'failure: refused', ''],
            $e->getMessage(),
        );
    }
    usleep(20000);
}
echo json_encode($told);
PHP;
$ask = static function (float $seconds) use ($page, $script, $config, $keys): array {
    $told = [];
    for ($end = microtime(true) + $seconds; microtime(true) < $end;) {
        foreach ($page($script, ['config' => $config] + $keys, WORKERS) as $answer) {
            foreach (json_decode($answer, true) ?? [$answer] as $what) {
                $told[$what] = ($told[$what] ?? 0) + 1;
            }
        }
    }
    ksort($told);
    return $told;
};
$attempts = static fn (): array
    => array_filter(file($trace), static fn ($line) => str_contains($line, "htons($port)"));

echo implode("\n", array_keys($ask(0.3))), "\n";
Lab::stop($id);
$before = count($attempts());
$begin = microtime(true);
$told = $ask(4);
$seconds = ceil(microtime(true) - $begin);
$after = count($attempts());
echo implode("\n", array_diff(array_keys($told), [
    'node-1: Connection closed by the node',
    'node-1 maybe: Connection closed by the node',
])), "\n";
/* The calls that were under way, and pauses of 50, 100 and then 200 ms. */
echo 'at most five attempts a second: ',
    var_export($after - $before <= 5 * $seconds + WORKERS + 3, true),
    '; some: ', var_export($after > $before, true), "\n";
$fast = $told['node-1: The node is resting after a failure: refused'];
echo 'most failed fast: ', var_export($fast > 2 * ($after - $before), true), "\n";

echo "back again\n";
lab_redis_at($port);
$end = microtime(true) + 60;
do {
    $told = array_keys($ask(0.3));
} while ($told !== ['answered'] && microtime(true) < $end);
echo implode("\n", $told), "\n";
?>
--EXPECT--
answered
node-1: Connection refused while connecting
node-1: The node is resting after a failure: refused
at most five attempts a second: true; some: true
most failed fast: true
back again
answered
