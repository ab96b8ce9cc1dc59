--TEST--
Nodes beyond onehop.max_nodes are served; one log line says that their connections are not shared
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$log = Lab::file('php.log');
$config = lab_config([lab_redis(), lab_redis(), lab_redis()]);
$page = lab_fpm(
    ['log_errors' => '1', 'error_log' => $log],
    3,
    ['sh', '-c', 'exec "$0" "$@" -d onehop.max_nodes=2'],
);
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
for ($i = $wrong = 0; $i < 60; $i++) {
    $redis->set(md5("$i"), $i);
    $wrong += $redis->get(md5("$i")) !== "$i";
}
echo $wrong;
PHP;
for ($i = 0, $answers = []; $i < 20; $i++) {
    array_push($answers, ...$page($script, ['config' => $config], 3));
}
echo json_encode(array_unique($answers)), " wrong\n";
echo implode('', preg_replace('/^\[.*?\] /', '', preg_grep('/max_nodes/', file($log))));
?>
--EXPECT--
["0"] wrong
OneHop: more than 2 nodes are in use (onehop.max_nodes): each worker keeps connections of the others, and what it knows of them, for itself; raise onehop.max_nodes
