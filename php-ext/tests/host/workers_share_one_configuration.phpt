--TEST--
One worker of a php-fpm reads the configuration; the others copy it, and follow changes
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const WORKERS = 6;
[$a, $b] = [lab_redis(), lab_redis()];
lab_plain($a)->set('where', 'a');
lab_plain($b)->set('where', 'b');
$write = static fn (array $servers, array $more = [])
    => lab_config($servers, $more, 'changing.yml');
$config = $write([$a]);
$trace = Lab::file('trace');
$page = lab_fpm(['display_errors' => '0', 'log_errors' => '1'], WORKERS, [
    'strace', '-f', '-qq', '-e', 'trace=openat', '-o', $trace,
]);

/* Each worker prints its process id and what it sees. A page is slow, so all workers get one. */
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
echo getmypid(), ' ', $redis->get('where');
usleep(20000);
PHP;
$ask = static function () use ($page, $script, $config): array {
    $seen = [];
    for ($i = 0; count($seen) < WORKERS && $i < 100; $i++) {
        foreach ($page($script, ['config' => $config], WORKERS) as $answer) {
            [$worker, $where] = explode(' ', $answer, 2);
            $seen[$worker] = $where;
        }
    }
    return $seen;
};
$seen = $ask();
echo count($seen), ' workers see ', implode(' ', array_unique($seen)), "\n";
$write([$b]);
usleep(1100000);
$page($script, ['config' => $config]);
$seen = $ask();
echo count($seen), ' workers see ', implode(' ', array_unique($seen)), "\n";
$reads = static fn () => substr_count(file_get_contents($trace), 'changing.yml", O_RDONLY');
echo 'the file was read: ', $reads(), "\n";
file_put_contents($config, 'rubbish');
usleep(1100000);
$begin = hrtime(true);
$seen = $ask();
echo count($seen), ' workers see ', implode(' ', array_unique($seen)), "\n";
/* A file that is refused is read again, once a second. */
$most = 1 + (int) ceil((hrtime(true) - $begin) / 1e9);
$more = $reads() - 2;
echo 'then: ', $more >= 1 && $more <= $most ? 'once a second' : "$more times", "\n";
echo 'warnings: ', count(lab_fpm_told('/the configuration read before stays in use/', 1)), "\n";
$told = lab_fpm_told('/[\d.]+ % of the keys of server pool alpha move \(generation \d\)/', 1);
echo $told[0] ?? 'no change was logged', "\n";

echo "a password is not in the shared memory, but every worker knows it\n";
lab_plain($b)->config('SET', 'requirepass', 'secret');
$write([$b], ['redis_auth' => 'secret']);
usleep(1100000);
$page($script, ['config' => $config]);
$seen = $ask();
echo count($seen), ' workers see ', implode(' ', array_unique($seen)), "\n";
?>
--EXPECT--
6 workers see a
6 workers see b
the file was read: 2
6 workers see b
then: once a second
warnings: 1
100.0 % of the keys of server pool alpha move (generation 2)
a password is not in the shared memory, but every worker knows it
6 workers see b
