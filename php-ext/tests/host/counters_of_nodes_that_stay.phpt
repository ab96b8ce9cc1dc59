--TEST--
Counters of a node that stays configured only grow; the entries of removed nodes are reused
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const CHANGES = 6;
ini_set('error_log', '/dev/null');
$port = lab_redis('--requirepass', 'secret');
$page = lab_fpm([], 2, ['sh', '-c', 'exec "$0" "$@" -d onehop.max_nodes=4']);
$write = static fn (int $number) => lab_config(
    ["127.0.0.1:$port:1 stays", "127.0.0.1:$port:1 other-$number"],
    ['redis_auth' => 'secret', 'pool_size' => 2 + $number % 2],
    'live.yml',
);
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
for ($i = 0; $i < 30; $i++) {
    $redis->get(md5("$i"));
}
usleep(50000); /* So the other worker also serves a page. */
foreach (OneHop\Topology::status()[0]['nodes'] as $node) {
    echo "$node[node] $node[calls] ";
}
PHP;
$fell = $alone = $last = 0;
for ($number = 1; $number <= CHANGES; $number++) {
    $config = $write($number);
    $topology = new OneHop\Topology('alpha', $config);
    $pages = $other = 0;
    for ($end = microtime(true) + 60; $pages < 24 && microtime(true) < $end; usleep(200000)) {
        $before = $last;
        foreach ($page($script, ['config' => $config], 4) as $answer) {
            preg_match_all('/(\S+) (\d+)/', $answer, $found);
            $calls = array_combine($found[1], array_map(intval(...), $found[2]));
            $fell += $calls['stays'] < $before;
            $last = max($last, $calls['stays']);
            $pages += isset($calls["other-$number"]);
            $other = max($other, $calls["other-$number"] ?? 0);
        }
    }
    /*
     * The last of four parallel pages may read the counter before the others call. A worker that
     * counted for itself alone would have half.
     */
    $keys = count(array_filter(
        range(0, 29),
        static fn ($i) => $topology->locate(md5("$i"))->name === "other-$number",
    ));
    $alone += $other < ($pages - 4) * $keys;
}
echo "fell: $fell times; counted by a worker alone: $alone\n";
?>
--EXPECT--
fell: 0 times; counted by a worker alone: 0
