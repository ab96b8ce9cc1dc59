--TEST--
The queues of many nodes leave descriptors to the program and stream_select(), or the log warns
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/* Each php-fpm has a process, and so a lab, of its own. */
$run = <<<'PHP'
<?php
[, $lab, $config, $limit, $nodes] = $argv;
require $lab;

$page = lab_fpm([], 2, [
    'prlimit', "--nofile=$limit", 'sh', '-c', 'exec "$0" "$@" -d display_errors=0 -d log_errors=1 '
        . "-d onehop.max_nodes=$nodes -d onehop.shared_memory=16M",
]);
$script = <<<'PAGE'
<?php
set_error_handler(static fn (int $level, string $message) => print(strtok($message, "\n") . ' '));
$redis = new OneHop\Redis('alpha', $_GET['config']);
for ($i = 0; $i < 20; $i++) {
    $redis->set("key:$i", $i);
    $right = ($right ?? 0) + ($redis->get("key:$i") === "$i");
}
[$one, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
fwrite($other, 'x');
[$read, $write, $except] = [[$one], [], []];
$low = array_filter(scandir('/proc/self/fd'), static fn (string $at) => (int) $at < 1024);
echo "$right right, select: ", stream_select($read, $write, $except, 1) ?: 'none',
    ', taken below 1024: ', count($low) < 50 ? 'few' : 'many';
PAGE;
echo "-- $limit descriptors, $nodes nodes\n", implode("\n", array_unique(
    $page($script, ['config' => $config], 4),
)), "\n";
preg_match_all(
    '/OneHop: (?:of the|connections of) .*?onehop\.max_nodes/',
    file_get_contents(Lab::file('fpm.log')) . file_get_contents(Lab::file('fpm.out')),
    $told,
);
echo implode(array_map(static fn (string $line) => "$line\n", array_unique($told[0])));
PHP;
$config = lab_config([lab_redis(), lab_redis()]);
foreach ([[8192, 600], [3000, 600], [1024, 64], [1024, 200], [100, 64]] as [$limit, $nodes]) {
    echo lab_run($run, [__DIR__ . '/../lab/lab.inc', $config, (string) $limit, (string) $nodes]);
}
?>
--EXPECT--
-- 8192 descriptors, 600 nodes
20 right, select: 1, taken below 1024: few
-- 3000 descriptors, 600 nodes
20 right, select: 1, taken below 1024: few
-- 1024 descriptors, 64 nodes
20 right, select: 1, taken below 1024: many
-- 1024 descriptors, 200 nodes
20 right, select: 1, taken below 1024: many
OneHop: of the 1024 descriptors that select() takes it leaves 624 to the program; raise the limit of descriptors (LimitNOFILE of php-fpm's service), or lower onehop.max_nodes
-- 100 descriptors, 64 nodes
20 right, select: 1, taken below 1024: many
OneHop: connections of 25 nodes are shared, not of 64: that takes half of the descriptors that a process may have; raise that limit (LimitNOFILE of php-fpm's service), or lower onehop.max_nodes
