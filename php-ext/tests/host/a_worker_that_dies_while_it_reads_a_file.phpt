--TEST--
If a worker is killed while it reads a changed file, the next one reads it without delay
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

[$a, $b] = [lab_redis(), lab_redis()];
lab_plain($a)->set('where', 'a');
lab_plain($b)->set('where', 'b');
$config = lab_config([$a], [], 'changing.yml');
/* The worker that opens the file for the second time is killed. */
$page = lab_fpm(['display_errors' => '0'], 1, [
    'strace', '-f', '-qq', '-o', '/dev/null', '-P', $config, '-e', 'trace=openat', '-e',
    'inject=openat:signal=KILL:when=2',
]);
$script = '<?php
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    echo getmypid(), " ", $redis->get("where");';
[$first, $where] = explode(' ', $page($script, ['config' => $config]));
echo $where, "\n";
lab_config([$b], [], 'changing.yml');
usleep(1100000);
echo 'killed: ', var_export($page($script, ['config' => $config]) === '', true), "\n";
[$second, $where] = explode(' ', $page($script, ['config' => $config]));
echo 'another worker: ', var_export($first !== $second, true), ', it sees ', $where, "\n";
?>
--EXPECT--
a
killed: true
another worker: true, it sees b
