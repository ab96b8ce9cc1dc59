--TEST--
Two php-fpm pools in different chroots read different configurations from the same path
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

foreach (['one', 'two'] as $name) {
    lab_plain($port = lab_redis())->set('where', $name);
    $root = Lab::file($name);
    mkdir("$root/etc", recursive: true);
    rename(lab_config([$port], [], "$name.yml"), "$root/etc/n.yml");
    file_put_contents(
        "$root/page.php",
        '<?php
            $redis = new OneHop\Redis("alpha");
            echo $redis->get("where"), " ", ini_get("onehop.config");',
    );
    $pools[] = "[$name]\nlisten = $root/fpm.sock\npm = static\npm.max_children = 2\n"
        . "chroot = $root\nchdir = /\nphp_admin_value[onehop.config] = /etc/n.yml\n"
        . "php_admin_value[open_basedir] =\ncatch_workers_output = yes\n";
}
register_shutdown_function(
    static fn () => exec('rm -rf ' . Lab::file('one') . ' ' . Lab::file('two')),
);
file_put_contents(
    Lab::file('fpm.conf'),
    "[global]\nerror_log = " . Lab::file('fpm.log') . "\ndaemonize = no\n" . implode($pools),
);
lab_start_fpm();
array_map(static fn ($name) => Lab::await('unix://' . Lab::file("$name/fpm.sock")), ['one', 'two']);

$ask = static fn (string $name): string => trim(explode(
    "\r\n\r\n",
    (string) shell_exec(
        'SCRIPT_FILENAME=/page.php REQUEST_METHOD=GET cgi-fcgi -bind -connect '
            . Lab::file("$name/fpm.sock") . ' 2>/dev/null',
    ),
    2,
)[1] ?? '');
for ($round = 0; $round < 6; $round++) {
    foreach (['one', 'two'] as $name) {
        $seen["$name: " . $ask($name)] = true;
    }
    usleep(300000); /* So a worker of each pool checks whether its file has changed. */
}
echo implode("\n", array_keys($seen)), "\n", 'changes told: ',
    substr_count(file_get_contents(Lab::file('fpm.log')), ' changed: '), "\n";
?>
--EXPECT--
one: one /etc/n.yml
two: two /etc/n.yml
changes told: 0
