--TEST--
All workers share one map, which one of them has fetched; a moved slot costs the host one redirect
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

const WORKERS = 8;
$cluster = new LabCluster(3);
$config = $cluster->config();
$redis = new OneHop\Redis('alpha', $config);
for ($i = 0; $i < 100; $i++) {
    $redis->set("key:$i", "value:$i");
}
$page = lab_fpm([], WORKERS);
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
$wrong = 0;
for ($slow = $i = 0; $i < 20; $i++) {
    $begin = microtime(true);
    $wrong += $redis->get("key:$i") !== "value:$i";
    $slow += microtime(true) - $begin > 0.4;
}
usleep(2000);
echo getmypid(), ' ', $wrong, ' ', $slow;
PHP;
$ask = static function (int $requests) use ($page, $script, $config): array {
    $workers = [];
    $wrong = $slow = 0;
    for ($i = 0; $i < $requests; $i += WORKERS) {
        foreach ($page($script, ['config' => $config], WORKERS) as $answer) {
            [$worker, $here, $late] = explode(' ', $answer) + [1 => 'nothing', 0];
            $workers[$worker] = true;
            $wrong += is_numeric($here) ? (int) $here : 1000;
            $slow += (int) $late;
        }
    }
    return [count($workers), $wrong, $slow];
};

$cluster->forgetStatistics();
[$workers, $wrong, $slow] = $ask(400);
/* A refresh asks two nodes, and the third one if one of them is late. A slow call requests one. */
$asked = $cluster->questions();
echo "workers that answered: ", $workers > 1 ? 'several' : $workers, ", wrong: $wrong, questions: ",
    $asked >= 2 && $asked <= 3 + 3 * $slow ? 'one inquiry' : $asked, "\n";

echo "a slot moves\n";
$slot = lab_slot('key:7');
$from = $cluster->owner($slot);
$to = current(array_diff($cluster->ports, [$from]));
$cluster->move($slot, $from, $to);
$cluster->forgetStatistics();
$begin = microtime(true);
[, $wrong] = $ask(WORKERS);
[, $wrong] = $ask(200);
/* Workers that call at the same moment are redirected once each. */
echo "wrong: $wrong, redirects: ",
    $cluster->errors('MOVED') <= WORKERS ? 'at most one each' : $cluster->errors('MOVED'), "\n";
$refreshes = 1 + ceil(microtime(true) - $begin);
echo 'questions: ', $cluster->questions() <= 2 * $refreshes
    ? 'at most one refresh per second' : $cluster->questions(), "\n";

echo "nodes that do not know CLUSTER SHARDS\n";
/* The second worker has the first one's map, but must find out itself that SHARDS is refused. */
foreach ($cluster->ports as $port) {
    $cluster->call($port, 'ACL', 'SETUSER', 'default', '-cluster|shards');
}
$old = lab_fpm([], 1);
$config = $cluster->config();
$ask = static fn (string $key) => $old('<?php
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    for ($end = microtime(true) + 0.3; microtime(true) < $end;) {
        $redis->get($_GET["key"]);
    }
    echo getmypid();', ['config' => $config, 'key' => $key]);
$first = (int) $ask('key:7');
$cluster->move($slot, $to, $from);
posix_kill($first, 9);
usleep(1300000);
$cluster->forgetStatistics();
$begin = microtime(true);
$second = (int) $ask('key:7');
/* Usually it asks two nodes. If one of them is late, it asks the third one, too. */
$refreshes = 1 + floor(microtime(true) - $begin);
$asked = $cluster->questions();
echo $second !== $first ? 'another worker' : 'the same worker', ', refused: ',
    min(2, $cluster->errors('NOPERM')), ', questions: ',
    $asked >= 2 && $asked <= count($cluster->ports) * $refreshes ? 'one to each' : $asked, "\n";
foreach ($cluster->ports as $port) {
    $cluster->call($port, 'ACL', 'SETUSER', 'default', '+cluster|shards');
}

echo "no node can be asked\n";
$nowhere = lab_config(
    [$one = '127.0.0.1:' . Lab::port() . ':1', $other = '127.0.0.1:' . Lab::port() . ':1'],
    ['cluster' => 'true'],
    'nowhere.yml',
);
$answers = $page(
    '<?php
        try {
            new OneHop\Redis("alpha", $_GET["config"]);
        } catch (OneHop\Exception $e) {
            echo get_class($e), $e->mayHaveExecuted() ? " maybe " : " not sent ", $e->getMessage();
        }',
    ['config' => $nowhere],
    WORKERS,
);
foreach (array_unique(array_map(
    static fn ($answer) => substr($answer, 0, strlen(
        'OneHop\NodeDown not sent No node returned the map of the cluster',
    )),
    $answers,
)) as $answer) {
    echo $answer, "\n";
}
$naming = array_filter(
    $answers,
    static fn ($answer)
        => preg_match('/' . preg_quote(substr($one, 0, -2)) . ': .*Connection refused/', $answer)
        && preg_match('/' . preg_quote(substr($other, 0, -2)) . ': .*Connection refused/', $answer),
);
echo count($naming) === WORKERS
    ? "each names the reason of both nodes\n"
    : implode("\n", array_diff($answers, $naming));
?>
--EXPECT--
workers that answered: several, wrong: 0, questions: one inquiry
a slot moves
wrong: 0, redirects: at most one each
questions: at most one refresh per second
nodes that do not know CLUSTER SHARDS
another worker, refused: 2, questions: one to each
no node can be asked
OneHop\NodeDown not sent No node returned the map of the cluster
each names the reason of both nodes
