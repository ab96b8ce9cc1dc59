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
$config = lab_config([$port], ['timeout' => 300, 'pool_size' => 1]);
/* On a machine that slept for a day, the kernel's process times are a day ahead of its clock. */
$page = lab_fpm(['display_errors' => '1'], 2, [
    'unshare', '--time', '--boottime', '86400', '--fork',
]);
/* The first request keeps the connection until the second one has failed. */
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
try {
    $redis->watch('key');
    for ($i = 0; $i < 500 && !file_exists($_GET['told']); $i++) {
        usleep(10000);
        clearstatcache();
    }
    echo 'has it';
} catch (OneHop\PoolExhausted $e) {
    echo 'waits and gets none';
    touch($_GET['told']);
}
PHP;
$answers = $page($script, ['config' => $config, 'told' => Lab::file('told')], 2);
sort($answers);
echo implode(', ', $answers), "\n";
?>
--EXPECT--
has it, waits and gets none
