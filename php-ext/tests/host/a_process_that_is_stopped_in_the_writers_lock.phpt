--TEST--
A worker stopped inside the segment's write lock does not stop the others; changes are applied later
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';
require __DIR__ . '/../lab/processes.inc';

const LARGE = 500;
[$one, $other] = [lab_redis(), lab_redis()];
lab_plain($one)->set('key', 'one');
lab_plain($other)->set('key', 'other');
$cluster = new LabCluster(2);
$cluster->call($cluster->owner(lab_slot('key')), 'SET', 'key', 'clustered');
$config = lab_config([$one], [], 'live.yml');
$page = lab_fpm([], 4);
$script = '<?php
    $begin = hrtime(true);
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    echo implode(" ", [$redis->get("key"), $redis->get("key")]);
    echo hrtime(true) - $begin < 8e9 ? "" : " late";';
$get = static fn (string $config, int $times = 6)
    => implode(', ', array_unique($page($script, ['config' => $config], $times)));
echo $get($config, 12), "\n";

/*
 * Stops a worker while it reads a large configuration for the first time: others would wait for it.
 */
$lock = $page('<?php
    foreach (glob("/proc/self/fd/*") as $link) {
        if (str_starts_with((string) @readlink($link), "/memfd:onehop-lock")) {
            echo fileinode($link);
        }
    }');
$holder = static fn (): int => preg_match(
    "/ POSIX +\S+ +WRITE +(\\d+) \\S+:$lock /",
    (string) file_get_contents('/proc/locks'),
    $match,
) ? (int) $match[1] : 0;
$large = static fn (string $name) => lab_config(
    array_map(static fn ($i) => "127.0.0.1:1:1 server$i", range(1, LARGE)),
    ['distribution' => 'ketama'],
    $name,
);
$read = '<?php new OneHop\Redis("alpha", $_GET["config"]);';
for ($victim = $try = 0; $try < 30 && !$victim; $try++) {
    lab_request($read, ['config' => $large("large$try.yml")]);
    for ($end = microtime(true) + 3; microtime(true) < $end && !$victim;) {
        if ($victim = $holder()) {
            exec("kill -STOP $victim; sleep 0.02");
            if ($holder() !== $victim) {
                exec("kill -CONT $victim");
                $victim = 0;
            }
        }
    }
}
echo $victim ? "a worker is stopped inside\n" : "no worker was caught\n";
/* If the test fails, the worker must be able to end. */
register_shutdown_function(static fn () => exec("kill -CONT $victim"));

echo 'known: ', $get($config), "\n";
echo 'new: ', $get(lab_config([$other])), "\n";
echo 'a cluster: ', $get($cluster->config()), "\n";
lab_config([$other], [], 'live.yml');
for ($end = microtime(true) + 3; microtime(true) < $end; usleep(50000)) {
    $seen[$get($config)] = true;
}
echo 'changed: ', implode(', ', array_keys($seen)), "\n";

exec("kill -CONT $victim");
Lab::until(static fn () => $get($config) === 'other other', 'changed configuration');
echo 'afterwards: ', $get($config), ', ', $holder() ? 'locked' : 'free', "\n";
$status = json_decode($page('<?php echo json_encode(OneHop\Topology::status());'), true);
echo count(array_filter($status, static fn ($pool) => count($pool['nodes']) === LARGE)) > 0
    ? "its configuration is published\n"
    : "its configuration is lost\n";
?>
--EXPECT--
one one
a worker is stopped inside
known: one one
new: other other
a cluster: clustered clustered
changed: one one
afterwards: other other, free
its configuration is published
