--TEST--
The password of a user rotates under load, and no call fails
--DESCRIPTION--
Not beneath valgrind: it makes thousands of calls.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const ROTATIONS = 20;
const CALLERS = 3;

$port = lab_redis();
$admin = lab_plain($port);
$user = static fn (string ...$rules) => $admin->rawCommand('ACL', 'SETUSER', 'shop', ...$rules);
$user('on', '>secret-0', '~*', '+@all');
/* Only the user may write: so its password is in use. */
$admin->rawCommand('ACL', 'SETUSER', 'default', '-set');
$file = Lab::file('password');
$put = static function (int $number) use ($file): void {
    file_put_contents("$file.new", "secret-$number\n");
    chmod("$file.new", 0600);
    rename("$file.new", $file);
};
$put(0);
/* Connections are replaced soon, so each password authenticates some of them. */
$config = lab_config([$port], [
    'redis_auth_file' => $file, 'username' => 'shop', 'max_connection_age' => 20,
]);

/* Each caller reports its generation, the number of its calls, and its failures. */
$caller = <<<'CALLER'
    [, $config, $said] = $argv;
    $redis = new OneHop\Redis('alpha', $config);
    for ($calls = 0, $failures = [];; $calls++, usleep(1000)) {
        try {
            if (!$redis->set('key', 'value') || $redis->get('key') !== 'value') {
                $failures[] = 'wrong';
            }
        } catch (Throwable $e) {
            $failures[] = $e->getMessage();
        }
        $generation = OneHop\Topology::status()[0]['generation'] ?? 0;
        file_put_contents("$said.new", json_encode([$generation, $calls, $failures]));
        rename("$said.new", $said);
    }
    CALLER;
for ($i = 0; $i < CALLERS; $i++) {
    $arguments = [...lab_php_arguments(), '-r', $caller, '--', $config, Lab::file("caller-$i")];
    Lab::start([PHP_BINARY, ...$arguments], Lab::file("caller-$i.out"));
}
$said = static fn (int $number): array
    => json_decode((string) @file_get_contents(Lab::file("caller-$number"))) ?: [0, 0, []];
/** Waits until each caller has used this generation, and called some more. */
$await = static function (int $generation) use ($said): void {
    for ($i = 0; $i < CALLERS; $i++) {
        $end = microtime(true) + 30;
        for ($before = null; microtime(true) < $end; usleep(5000)) {
            [$now, $calls] = $said($i);
            $before ??= $now >= $generation ? $calls : null;
            if ($before !== null && $calls > $before + 20) {
                continue 2;
            }
        }
        echo "caller $i stays at generation $now, call $calls; seen there first: call $before\n";
    }
};
$await(1);
for ($number = 1; $number <= ROTATIONS; $number++) {
    $user(">secret-$number");
    $put($number);
    $await($number + 1);
    $user('<secret-' . ($number - 1));
    $await($number + 1);
}
$answers = array_map($said, range(0, CALLERS - 1));
lab_show('failures', array_merge(...array_column($answers, 2)));
lab_show('connections of each password', lab_accepted($admin) > ROTATIONS * CALLERS);
?>
--EXPECT--
failures: []
connections of each password: true
