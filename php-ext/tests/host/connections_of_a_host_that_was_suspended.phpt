--TEST--
Workers of a host that was suspended keep their connections; they are not taken for dead
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_redis();
$plain = lab_plain($port);
$plain->set('key', 'value');
/* The clients of both share the node's only connection. */
$patient = lab_config([$port], ['pool_size' => 1]);
$hasty = lab_config([$port], ['timeout' => 300, 'pool_size' => 1]);
/* On a machine that slept for a day, the kernel's process times are a day ahead of its clock. */
$page = lab_fpm(['display_errors' => '1'], 2, [
    'unshare', '--time', '--boottime', '86400', '--fork',
]);
/* The first request keeps the connection until the second one has failed. */
$script = <<<'PHP'
<?php
$await = static function (string $file): void {
    for ($i = 0; $i < 6000 && !file_exists($file); $i++) {
        usleep(10000);
        clearstatcache();
    }
};
if (@fopen($_GET['begun'], 'x')) {
    $redis = new OneHop\Redis('alpha', $_GET['patient']);
    $redis->watch('key');
    touch($_GET['taken']);
    $await($_GET['told']);
    echo 'has it';
} else {
    $await($_GET['taken']);
    $redis = new OneHop\Redis('alpha', $_GET['hasty']);
    try {
        $redis->watch('key');
        echo 'has it, too';
    } catch (OneHop\PoolExhausted) {
        echo 'waits and gets none';
    }
    touch($_GET['told']);
}
PHP;
$files = array_map(Lab::file(...), ['begun' => 'begun', 'taken' => 'taken', 'told' => 'told']);
$answers = $page($script, ['patient' => $patient, 'hasty' => $hasty] + $files, 2);
sort($answers);
echo implode(', ', $answers), "\n";
?>
--EXPECT--
has it, waits and gets none
