--TEST--
Running workers follow a changed configuration: directives, seeds, a cluster turned off and on
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

const WORKERS = 4;
$first = new LabCluster(3);
$second = new LabCluster(2);
$plain = [lab_redis(), lab_redis()];
$keys = array_map(static fn ($i) => "key:$i", range(0, 49));
$fill = static function (string $config, string $where) use ($keys) {
    (new OneHop\Redis('alpha', $config))->mSet(
        array_combine($keys, array_map(static fn ($key) => "$where $key", $keys)),
    );
};
$fill($first->config(), 'first');
$fill($second->config(), 'second');
$fill(lab_config($plain), 'plain');

$page = lab_fpm(['error_log' => $log = Lab::file('errors')], WORKERS);
$config = $first->config(['timeout' => 32000], null, 'live.yml');
$script = <<<'PHP'
<?php
try {
    $redis = new OneHop\Redis('alpha', $_GET['config']);
    $found = [];
    for ($i = 0; $i < 50; $i++) {
        $found[strtok($redis->get("key:$i"), ' ')] = 1;
    }
    foreach ($redis->mGet(["key:1", "key:2", "key:3"]) as $value) {
        $found[strtok($value, ' ')] = 1;
    }
    echo implode('+', array_keys($found)), ' ', $redis->getTimeout() * 1000;
} catch (Throwable $e) {
    echo get_class($e), ': ', $e->getMessage();
}
PHP;
/*
 * Waits until all workers agree for longer than a changed file may go unnoticed. Returns what they
 * answer. Each answer before must come from one configuration of the test, or be a mix of two.
 */
$settle = static function () use ($page, $script, $config): string {
    $mixed = $last = [];
    $since = microtime(true);
    $end = $since + 30;
    do {
        usleep(50000);
        $begin = microtime(true);
        $answers = array_unique($page($script, ['config' => $config], 2 * WORKERS));
        $since = $answers === $last && count($answers) === 1 ? $since : microtime(true);
        $last = $answers;
        $mixed += array_flip(preg_grep('/^\w+(\+\w+)? \d+$/', $answers, PREG_GREP_INVERT));
    } while ($begin < $since + 1.4 && $begin < $end); // So the last page has checked the file.
    return implode(', ', $last) . ($mixed ? ', but ' . implode(', ', array_keys($mixed)) : '');
};

echo $settle(), "\n";
$first->config(['timeout' => 31000], null, 'live.yml');
echo 'a directive: ', $settle(), "\n";
$first->config(['timeout' => 31000], [$first->ports[2]], 'live.yml');
echo 'other seeds: ', $settle(), "\n";
lab_config($plain, ['timeout' => 33000], 'live.yml');
echo 'no cluster: ', $settle(), "\n";
$first->move(
    $slot = lab_slot('key:7'),
    $from = $first->owner($slot),
    current(array_diff($first->ports, [$from])),
);
$first->config(['timeout' => 32000], null, 'live.yml');
echo 'a cluster again: ', $settle(), "\n";
$second->config(['timeout' => 32000], null, 'live.yml');
echo 'another cluster: ', $settle(), "\n";
lab_config($plain, ['timeout' => 33000], 'live.yml');
$settle();
$first->config(['timeout' => 31000], null, 'live.yml');
echo 'through plain servers: ', $settle(), "\n";
file_put_contents(
    $config,
    "alpha:\n  cluster: true\n  listen: 1:1\n  distribution: ketama\n  redis: true\n"
        . "  servers:\n    - 127.0.0.1:1:1\n",
);
$told = $settle();
$warning = 'the configuration read before stays in use';
echo 'a bad file: ', $told,
    str_contains(@file_get_contents($log), $warning) ? ', with a warning' : '', "\n";

echo "a long-lived client\n";
$first->config(['timeout' => 32000], null, 'live.yml');
$old = new OneHop\Redis('alpha', $config);
echo $old->get('key:1'), "\n";
lab_config($plain, ['timeout' => 33000], 'live.yml');
ini_set('error_log', '/dev/null');
Lab::until(
    static fn () => (new OneHop\Redis('alpha', $config))->get('key:1') === 'plain key:1',
    'client of plain servers',
);
echo $old->get('key:1'), "\n";
$second->config(['timeout' => 32000], null, 'live.yml');
Lab::until(static fn () => $old->get('key:1') === 'second key:1', 'client of a cluster');
echo 'timeout ', $old->getTimeout(), "\n";
lab_config($plain, ['timeout' => 33000], 'live.yml');
Lab::until(static fn () => $old->get('key:1') === 'plain key:1', 'client without one');
$status = array_column(OneHop\Topology::status(), 'distribution', 'path')[$config];
echo "the status shows $status\n";
?>
--EXPECT--
first 32000
a directive: first 31000
other seeds: first 31000
no cluster: plain 33000
a cluster again: first 32000
another cluster: second 32000
through plain servers: first 31000
a bad file: first 31000, with a warning
a long-lived client
first key:1
plain key:1
timeout 32
the status shows ketama
