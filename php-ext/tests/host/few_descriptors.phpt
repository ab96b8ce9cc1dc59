--TEST--
With few descriptors, php-fpm starts, shares the connections of fewer nodes, and says so
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([lab_redis(), lab_redis()]);
$page = lab_fpm([], 2, [
    'prlimit', '--nofile=100', 'sh', '-c', 'exec "$0" "$@" -d display_errors=0 -d log_errors=1',
]);
$answers = $page(
    '<?php
        $redis = new OneHop\Redis("alpha", $_GET["config"]);
        for ($i = 0; $i < 20; $i++) {
            $redis->set("key:$i", $i);
            $right = ($right ?? 0) + ($redis->get("key:$i") === "$i");
        }
        echo $right;',
    ['config' => $config],
    6,
);
echo implode(' ', $answers), "\n";
preg_match_all(
    '/OneHop: [^.]*?onehop\.max_nodes/',
    file_get_contents(Lab::file('fpm.log')) . file_get_contents(Lab::file('fpm.out')),
    $warnings,
);
echo implode("\n", array_unique($warnings[0])), "\n";
?>
--EXPECT--
20 20 20 20 20 20
OneHop: connections of 25 nodes are shared, not of 64: that takes half of the descriptors that a process may have; raise that limit (LimitNOFILE of php-fpm's service), or lower onehop.max_nodes
