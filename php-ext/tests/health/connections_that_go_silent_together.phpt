--TEST--
When all open connections of a node go silent, each worker fails once, and the node does not rest
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/* A load balancer that loses its state: connections that were opened before get no answer. */
$node = lab_node('
    is_old = not test.is_silent
    for words in commands():
        if not is_old or not test.is_silent:
            time.sleep(0.003 if is_old else 0)
            reply("$4", "well") if words[0] == "GET" else reply("+OK")', ['is_silent' => false]);
$config = lab_config([$node], ['timeout' => 3000, 'pool_size' => 8]);

const WORKERS = 6;
$script = <<<'PHP'
<?php
[$late, $other] = [0, []];
$redis = new OneHop\Redis('alpha', $_GET['config']);
for ($end = hrtime(true) + $_GET['ms'] * 1e6; hrtime(true) < $end;) {
    try {
        $redis->get('key');
    } catch (OneHop\DeadlineExceeded) {
        $late++;
    } catch (OneHop\Exception $e) {
        $other[] = $e->getMessage();
    }
}
echo json_encode([$late, $other, $redis->get('key')]);
PHP;
$page = lab_fpm([], WORKERS);
$ask = static fn (int $ms): array => array_map(
    json_decode(...),
    $page($script, ['config' => $config, 'ms' => $ms], WORKERS),
);
$ask(300);
lab_change($node, is_silent: true);
$told = $ask(7000);
lab_show('workers that were late more than once', array_sum(array_map(
    static fn (array $worker) => (int) ($worker[0] > 1),
    $told,
)));
lab_show('some were', array_sum(array_column($told, 0)) > 0);
lab_show('other failures', array_merge(...array_column($told, 1)));
lab_show('served again', array_unique(array_column($told, 2)));

echo "one process with many idle connections\n";
lab_change($node, is_silent: false);
$clients = [];
for ($i = 0; $i < 8; $i++) {
    $clients[] = new OneHop\Redis('alpha', $config);
    $clients[$i]->watch('key');
}
array_map(static fn ($client) => $client->unwatch(), $clients);
lab_change($node, is_silent: true);
$failed = 0;
for ($i = 0; $i < 20; $i++) {
    try {
        $clients[0]->get('key');
    } catch (OneHop\DeadlineExceeded) {
        $failed++;
    }
}
lab_show('failed calls', $failed);
?>
--EXPECT--
workers that were late more than once: 0
some were: true
other failures: []
served again: ["well"]
one process with many idle connections
failed calls: 1
