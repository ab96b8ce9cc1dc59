--TEST--
Two php-fpm pools whose environments differ read different configurations from one file
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$write = static function (string $more): void {
    file_put_contents(Lab::file('new.yml'), <<<YML
        alpha:
          engine: redis
          redis_auth: \${REDIS_PASSWORD}
          $more
          servers:
            - 127.0.0.1:\${REDIS_PORT}
        YML);
    chmod(Lab::file('new.yml'), 0644); /* It holds no password. */
    rename(Lab::file('new.yml'), Lab::file('n.yml'));
};
$write('timeout: 2000');
file_put_contents(
    Lab::file('page.php'),
    '<?php
        try {
            $redis = new OneHop\Redis("alpha");
            echo $redis->get("where"), " ", count(OneHop\Topology::status());
        } catch (OneHop\ConfigInvalid $failure) {
            echo str_replace(getcwd(), "", $failure->getMessage());
        }',
);
foreach (['one', 'two', 'three'] as $name) {
    $port = lab_redis('--requirepass', "secret-$name");
    $plain = lab_plain($port);
    $plain->auth("secret-$name");
    $plain->set('where', $name);
    $variables = $name === 'three' ? '' : "env[REDIS_PASSWORD] = secret-$name\n";
    $pools[] = "[$name]\nlisten = " . Lab::file("$name.sock") . "\npm = static\n"
        . "pm.max_children = 3\ncatch_workers_output = yes\nenv[REDIS_PORT] = $port\n$variables"
        . 'php_admin_value[onehop.config] = ' . Lab::file('n.yml') . "\n";
}
file_put_contents(
    Lab::file('fpm.conf'),
    "[global]\nerror_log = " . Lab::file('fpm.log') . "\ndaemonize = no\n" . implode($pools),
);
lab_start_fpm();
$names = ['one', 'two', 'three'];
array_map(static fn ($name) => Lab::await('unix://' . Lab::file("$name.sock")), $names);

$ask = static fn (string $name): string => trim(explode(
    "\r\n\r\n",
    (string) shell_exec(
        'SCRIPT_FILENAME=' . Lab::file('page.php') . ' REQUEST_METHOD=GET cgi-fcgi -bind -connect '
            . Lab::file("$name.sock") . ' 2>/dev/null',
    ),
    2,
)[1] ?? '');
$rounds = static function () use ($ask, $names): void {
    $seen = [];
    for ($round = 0; $round < 9; $round++) {
        foreach ($names as $name) {
            $answer = explode(' ', $ask($name), 2);
            $seen["$name: " . ($name === 'three' ? strstr($answer[1], 'line') : $answer[0])] = true;
        }
        usleep(200000); /* So a worker of each pool checks whether its file has changed. */
    }
    echo implode("\n", array_keys($seen)), "\n";
};
$rounds();
$write('timeout: 1999');
$rounds();
echo 'changes told: ', substr_count(file_get_contents(Lab::file('fpm.log')), ' changed: '), "\n";
echo 'pools known: ', explode(' ', $ask('one'))[1], "\n";
echo 'warned of the mode of the file: ',
    substr_count(file_get_contents(Lab::file('fpm.log')), 'every user of this machine'), "\n";
?>
--EXPECT--
one: one
two: two
three: line 3: directive "redis_auth" needs the environment variable "REDIS_PASSWORD", which is not set; correct the file, or name another one
one: one
two: two
three: line 3: directive "redis_auth" needs the environment variable "REDIS_PASSWORD", which is not set; correct the file, or name another one
changes told: 2
pools known: 2
warned of the mode of the file: 0
