--TEST--
Workers that sleep while they keep a connection do not delay the others
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_redis();
lab_plain($port)->set('key', 'value');
/*
 * Each sleeper has used a connection and waits in its request until all others are served, for
 * longer than their calls may take.
 */
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
$redis->get('key') === 'value' || exit('wrong');
file_put_contents($_GET['arrived'], '.', FILE_APPEND | LOCK_EX);
for ($i = 0; $i < 4000 && filesize($_GET['arrived']) < $_GET['workers']; $i++) {
    usleep(10000);
    clearstatcache();
}
echo filesize($_GET['arrived']) >= $_GET['workers'] ? 'all were served' : 'some were not';
PHP;
const WORKERS = 20;
$page = lab_fpm(['display_errors' => '1'], WORKERS);
foreach ([1, 2, 3, 4, 16] as $size) {
    $query = [
        'config' => lab_config([$port], ['pool_size' => $size]),
        'arrived' => Lab::file("arrived-$size"),
        'workers' => WORKERS,
    ];
    echo "pool_size $size: ", implode(', ', array_unique($page($script, $query, WORKERS))), "\n";
}
?>
--EXPECT--
pool_size 1: all were served
pool_size 2: all were served
pool_size 3: all were served
pool_size 4: all were served
pool_size 16: all were served
