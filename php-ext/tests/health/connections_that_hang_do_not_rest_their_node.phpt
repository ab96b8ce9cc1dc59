--TEST--
One hanging connection costs only its caller; a node that answers no caller rests after two failures
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const WORKERS = 6;
const ENOUGH = 40; /* Calls that a worker makes on healthy connections, at least. */
$script = <<<'PHP'
<?php
[$answered, $late, $other] = [0, 0, []];
$end = microtime(true) + 1.5;
while (
    microtime(true) < $end
    || ($answered < $_GET['enough'] && microtime(true) < $end + 30)
) {
    try {
        (new OneHop\Redis('alpha', $_GET['config']))->get('key');
        $answered++;
    } catch (OneHop\DeadlineExceeded) {
        $late++;
    } catch (OneHop\Exception $e) {
        $other[] = $e->getMessage();
    }
}
echo json_encode([$answered >= $_GET['enough'], $late, $other]);
PHP;
/*
 * The node accepts the workers' second and fourth connection and ignores them. All other answers
 * take long enough for the workers to call at the same time.
 */
$some_hang = '
    for words in commands():
        if number not in (2, 4):
            time.sleep(0.003)
            value("well")';
$page = lab_fpm([], WORKERS);
$kinds = ['without a handshake' => [], 'with one' => ['redis_auth' => 'secret']];
foreach ($kinds as $what => $directives) {
    $config = lab_config(
        [lab_node($some_hang)],
        $directives + ['timeout' => 3000, 'server_failure_limit' => 1],
    );
    $told = array_map(
        json_decode(...),
        $page($script, ['config' => $config, 'enough' => ENOUGH], WORKERS),
    );
    echo "$what: all continued: ", json_encode(!in_array(false, array_column($told, 0), true)),
        ', two were late: ', json_encode(array_sum(array_column($told, 1)) >= 2),
        ', others: ',
        json_encode(array_values(array_unique(array_merge(...array_column($told, 2))))), "\n";
}
foreach ($kinds as $what => $directives) {
    $redis = new OneHop\Redis(
        'alpha',
        lab_config([lab_node('await_close()')], $directives + ['timeout' => 200]),
    );
    $late = 0;
    $end = microtime(true) + 30;
    do {
        try {
            $redis->get('key');
        } catch (OneHop\DeadlineExceeded) {
            $late++;
        } catch (OneHop\NodeDown $e) {
            break;
        }
    } while (microtime(true) < $end);
    /* At least two, because a deadline that a busy machine notices too late does not count. */
    $rests = str_contains($e->getMessage(), 'The node is resting after a failure: ')
        && str_contains($e->getMessage(), 'failures in a row: 2');
    echo "answers no caller, $what: rests ", json_encode($rests),
        ', after two: ', json_encode($late >= 2), "\n";
}
?>
--EXPECT--
without a handshake: all continued: true, two were late: true, others: []
with one: all continued: true, two were late: true, others: []
answers no caller, without a handshake: rests true, after two: true
answers no caller, with one: rests true, after two: true
