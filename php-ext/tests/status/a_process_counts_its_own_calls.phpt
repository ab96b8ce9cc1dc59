--TEST--
Topology::status() also counts the calls of the answering process alone
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/** The counts of this process for one node. */
function own(string $node = 'node-0', int $pool = 0): array
{
    $nodes = array_column(OneHop\Topology::status()[$pool]['nodes'], null, 'node');
    return $nodes[$node]['process'];
}

function show(string $what, array $own): void
{
    echo "$what: calls {$own['calls']}, errors {$own['errors']}\n";
}

$ports = [lab_redis(), lab_redis()];
$config = lab_config($ports);
$keys = lab_key_of_each($config);
$redis = new OneHop\Redis('alpha', $config);
show('before the first call', own());
$redis->set($keys['node-0'], 'value');
$redis->pipeline()->get($keys['node-0'])->get($keys['node-1'])->get($keys['node-0'])->exec();
show('a command and a batch', own());
show('the batch on the other node', own('node-1'));
lab_show('they took time', own()['time'] > 0);
$before = own()['time'];
$redis->del($keys['node-0']);
$redis->blPop([$keys['node-0']], 1);
lab_show('a blocking call, too', own()['time'] - $before >= 1000000);

$bad = lab_config([lab_node('for words in commands(): pass')], ['timeout' => 500]);
try {
    (new OneHop\Redis('alpha', $bad))->get('key');
} catch (OneHop\DeadlineExceeded) {
}
show('a call that is late', own('node-0', 1));
lab_show('it took as long as its deadline', own('node-0', 1)['time'] >= 500000);

ini_set('error_log', Lab::file('notices'));
usleep(1100000);
lab_config([...$ports, lab_redis()], [], basename($config));
new OneHop\Redis('alpha', $config);
show('after a change of the configuration', own());

$page = lab_fpm([], 4);
$page('<?php new OneHop\Redis("alpha", $_GET["config"]);', ['config' => $config]);
$answers = $page('<?php
    $count = fn () => array_sum(array_column(
        array_column(OneHop\Topology::status()[0]["nodes"], "process"),
        "calls",
    ));
    $before = $count();
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    for ($i = 0; $i < 25; $i++) {
        $redis->get(md5("$i"));
    }
    echo $count() - $before;', ['config' => $config], 40);
lab_show('each of 40 requests', array_count_values($answers));

echo 'without shared memory: ', lab_run('<?php
    $redis = new OneHop\Redis("alpha", $argv[1]);
    $redis->get("key");
    echo array_sum(array_column(
        array_column(OneHop\Topology::status()[0]["nodes"], "process"),
        "calls",
    )), "\n";', [$config], [], ['onehop.shared_memory' => '0']);
?>
--EXPECT--
before the first call: calls 0, errors 0
a command and a batch: calls 2, errors 0
the batch on the other node: calls 1, errors 0
they took time: true
a blocking call, too: true
a call that is late: calls 1, errors 1
it took as long as its deadline: true
after a change of the configuration: calls 4, errors 0
each of 40 requests: {"25":40}
without shared memory: 1
