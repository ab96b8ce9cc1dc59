--TEST--
If a worker finds a newer file while it reads the password, all get it; unknown names use no slot
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

foreach (['old', 'new'] as $name) {
    lab_plain($port = lab_redis())->set('where', $name);
    lab_plain($port)->config('SET', 'requirepass', 'secret');
    $files[$name] = lab_config([$port], ['redis_auth' => 'secret'], "$name.yml");
}
copy($files['old'], $config = Lab::file('config.yml'));
$page = lab_fpm(['display_errors' => '1'], 2);
/* The first worker reads the file; the second one finds the file's next version. */
$script = <<<'PHP'
<?php
function await(string $file): void
{
    for ($i = 0; $i < 6000 && !file_exists($file); $i++, clearstatcache()) {
        usleep(5000);
    }
}
$where = static fn () => (new OneHop\Redis('alpha', $_GET['config']))->get('where');
if (@fopen("{$_GET['mark']}-turn", 'x')) {
    echo 'first: ', $where();
    touch("{$_GET['mark']}-read");
    await("{$_GET['mark']}-done");
    echo ', then ', $where();
} else {
    await("{$_GET['mark']}-read");
    rename($_GET['next'], $_GET['config']);
    echo 'second: ', $where();
    usleep(1100000);
    echo ', then ', $where();
    touch("{$_GET['mark']}-done");
}
PHP;
$told = $page(
    $script,
    ['config' => $config, 'next' => $files['new'], 'mark' => Lab::file('mark')],
    2,
);
sort($told);
echo implode("\n", $told), "\n";
$changes = lab_fpm_told('/[\d.]+ % of the keys of server pool alpha move \(generation \d\)/', 1);
echo $changes[0] ?? 'no change was logged', "\n";

for ($i = 0; $i < 70; $i++) {
    try {
        new OneHop\Redis("no-$i", $config);
    } catch (OneHop\ConfigInvalid) {
    }
}
if (pcntl_fork() === 0) {
    new OneHop\Redis('alpha', $config);
    posix_kill(getmypid(), SIGKILL);
}
pcntl_wait($status);
echo count(OneHop\Topology::status()), " server pool is known to all workers\n";
?>
--EXPECT--
first: old, then new
second: new, then new
100.0 % of the keys of server pool alpha move (generation 2)
1 server pool is known to all workers
