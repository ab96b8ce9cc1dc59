--TEST--
Warnings about php.ini and the configuration are plain text, also in the log
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$shared = '<?php
    ob_start();
    phpinfo(INFO_MODULES);
    preg_match("/Shared by all workers => (.*)/", ob_get_clean(), $match);
    echo "shared: $match[1]\n";';
foreach ([
    ['onehop.shared_memory' => '64K'], ['onehop.max_nodes' => '2000'], ['onehop.max_nodes' => '0'],
    ['onehop.max_nodes' => '-1'], ['onehop.max_nodes' => '1024', 'onehop.shared_memory' => '1M'],
    ['onehop.shared_memory' => '0', 'onehop.max_nodes' => '0'], ['onehop.pool_scope' => 'hots'], [],
] as $settings) {
    echo json_encode($settings, JSON_FORCE_OBJECT), "\n",
        preg_replace('/ in Unknown on line 0/', '', lab_run($shared, [], [], $settings));
}

echo "in the log of a php-fpm\n";
$config = lab_config([lab_redis()], [], 'n.yml');
$page = lab_fpm(['html_errors' => '1', 'display_errors' => '0', 'log_errors' => '1']);
$script = '<?php new OneHop\Redis("alpha", $_GET["config"]);';
$page($script, ['config' => $config]);
lab_config([1], ['distribution' => 'other'], 'n.yml');
for ($told = [], $end = microtime(true) + 30; !$told && microtime(true) < $end; usleep(100000)) {
    $page($script, ['config' => $config]);
    preg_match(
        '/line \d+: directive .*stays in use/',
        file_get_contents(Lab::file('fpm.log')),
        $told,
    );
}
echo $told[0] ?? 'nothing', "\n";
?>
--EXPECTF--
{"onehop.shared_memory":"64K"}

Warning: OneHop: onehop.shared_memory = 65536 is too small for onehop.max_nodes = 64, which needs %d KiB: each process keeps what it knows for itself
shared: nothing
{"onehop.max_nodes":"2000"}

Warning: OneHop: onehop.max_nodes = 2000 is not 1 to 1024: 1024 is used

Warning: OneHop: onehop.shared_memory = 4194304 is too small for onehop.max_nodes = 1024, which needs %d KiB: each process keeps what it knows for itself
shared: nothing
{"onehop.max_nodes":"0"}

Warning: OneHop: onehop.max_nodes = 0 is not 1 to 1024: 1 is used
shared: configuration, topology, health, counters
{"onehop.max_nodes":"-1"}

Warning: OneHop: onehop.max_nodes = -1 is not 1 to 1024: 1 is used
shared: configuration, topology, health, counters
{"onehop.max_nodes":"1024","onehop.shared_memory":"1M"}

Warning: OneHop: onehop.shared_memory = 1048576 is too small for onehop.max_nodes = 1024, which needs %d KiB: each process keeps what it knows for itself
shared: nothing
{"onehop.shared_memory":"0","onehop.max_nodes":"0"}
shared: nothing
{"onehop.pool_scope":"hots"}

Warning: OneHop: onehop.pool_scope is host or process, not hots: each process has its own connections
shared: configuration, topology, health, counters
{}
shared: configuration, topology, health, counters
in the log of a php-fpm
line 2: directive "distribution" is not a valid distribution: "other"; the configuration read before stays in use
