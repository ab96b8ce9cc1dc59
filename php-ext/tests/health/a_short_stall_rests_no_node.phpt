--TEST--
A node that stalls for longer than the timeout costs each worker one call, and does not rest
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const WORKERS = 4;
[$port, $id] = lab_redis_process();
$config = lab_config([$port], ['timeout' => 3000]);
$script = <<<'PHP'
<?php
[$late, $other, $begin] = [0, [], (int) (microtime(true) * 1e9)];
$redis = new OneHop\Redis('alpha', $_GET['config']);
for ($end = hrtime(true) + 6e9; hrtime(true) < $end;) {
    try {
        $redis->get('key');
    } catch (OneHop\DeadlineExceeded) {
        $late++;
    } catch (OneHop\Exception $e) {
        $other[preg_replace('/\d+/', 'N', $e->getMessage())] = true;
    }
}
echo json_encode([$late, array_keys($other), $begin]);
PHP;
$page = lab_fpm([], WORKERS);
/* Says for how long the node really stood still. */
$stall = 'sleep 1; date +%s%N; kill -STOP $0; sleep 3.5; kill -CONT $0; date +%s%N';
$tries = 0;
/*
 * On a busy machine a stall may be longer than two timeouts, and then the node rests. Or it may
 * begin before a worker does.
 */
do {
    $process = proc_open(['sh', '-c', $stall, $id], [1 => ['pipe', 'w']], $pipes);
    $told = array_map(json_decode(...), $page($script, ['config' => $config], WORKERS));
    [$begin, $end] = explode("\n", stream_get_contents($pipes[1]));
    proc_close($process);
} while (($end - $begin > 5.5e9 || max(array_column($told, 2)) > $begin) && ++$tries < 5);
lab_show('workers that were late', count(array_filter(array_column($told, 0))));
lab_show('most late calls of one worker', max(array_column($told, 0)));
lab_show('other failures', array_merge(...array_column($told, 1)));
?>
--EXPECT--
workers that were late: 4
most late calls of one worker: 1
other failures: []
