--TEST--
One hanging connection costs only its caller; a node that answers no caller rests after two
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const WORKERS = 6;
const ENOUGH = 40; /* Calls a worker makes on healthy connections, at the least. */
$script = <<<'PHP'
<?php
[$answered, $late, $other] = [0, 0, []];
for ($end = microtime(true) + 1.5; microtime(true) < $end || ($answered < $_GET['enough'] && microtime(true) < $end + 30);) {
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
/* The second and the fourth connection of the workers are accepted and forgotten; each answer takes so long that all workers meet. */
$some_hang = '
    while ($node->command()) {
        if (!in_array($node->connection, [2, 4])) {
            usleep(3000);
            $node->value("well");
        }
    }';
$page = lab_fpm([], WORKERS);
foreach (
    ['without a handshake' => [], 'with one' => ['redis_auth' => 'secret']] as $what => $directives
) {
    $config = lab_config(
        [lab_node($some_hang)],
        $directives + ['timeout' => 3000, 'server_failure_limit' => 1],
    );
    $told = array_map(
        json_decode(...),
        $page($script, ['config' => $config, 'enough' => ENOUGH], WORKERS),
    );
    echo "$what: all went on: ", json_encode(!in_array(false, array_column($told, 0), true)),
        ', two were late: ', json_encode(array_sum(array_column($told, 1)) >= 2),
        ', others: ',
        json_encode(array_values(array_unique(array_merge(...array_column($told, 2))))), "\n";
}
foreach (
    ['without a handshake' => [], 'with one' => ['redis_auth' => 'secret']] as $what => $directives
) {
    $redis = new OneHop\Redis(
        'alpha',
        lab_config([lab_node('while ($node->command());')], $directives + ['timeout' => 200]),
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
    /* A deadline that a busy machine notices too late is not counted. */
    echo "answers nobody, $what: rests ", json_encode(
        str_contains($e->getMessage(), 'The node rests: ')
            && str_contains($e->getMessage(), 'after 2 failures in a row'),
    ),
        ', after two: ', json_encode($late >= 2), "\n";
}
?>
--EXPECT--
without a handshake: all went on: true, two were late: true, others: []
with one: all went on: true, two were late: true, others: []
answers nobody, without a handshake: rests true, after two: true
answers nobody, with one: rests true, after two: true
