--TEST--
php-fpm pools that differ in root or environment read different configurations from one path
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/** The lines of fpm.conf for a pool. */
$pool = static fn (string $name, string $root, string $more): string
    => "[$name]\nlisten = $root/$name.sock\npm = static\npm.max_children = 3\n"
        . "catch_workers_output = yes\n$more\n";
/** What a page of a pool answers. */
$ask = static fn (string $socket, string $page): string => trim(explode(
    "\r\n\r\n",
    (string) shell_exec(
        "SCRIPT_FILENAME=$page REQUEST_METHOD=GET cgi-fcgi -bind -connect $socket 2>/dev/null",
    ),
    2,
)[1] ?? '');

/* The same path in two roots. */
$roots = ['north', 'south'];
foreach ($roots as $name) {
    lab_plain($port = lab_redis())->set('where', $name);
    $root = Lab::file($name);
    mkdir("$root/etc", recursive: true);
    rename(lab_config([$port], [], "$name.yml"), "$root/etc/n.yml");
    file_put_contents("$root/page.php", '<?php
        $redis = new OneHop\Redis("alpha");
        echo $redis->get("where"), " ", ini_get("onehop.config");');
    $pools[] = $pool($name, $root, "chroot = $root\nchdir = /\n"
        . "php_admin_value[onehop.config] = /etc/n.yml\nphp_admin_value[open_basedir] =");
}
register_shutdown_function(
    static fn () => exec('rm -rf ' . Lab::file('north') . ' ' . Lab::file('south')),
);

/* One file, and environments that differ. */
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
$write('timeout: 32000');
file_put_contents(Lab::file('page.php'), '<?php
    try {
        $redis = new OneHop\Redis("alpha");
        echo $redis->get("where"), " ", count(array_filter(
            OneHop\Topology::status(),
            static fn ($pool) => $pool["path"] === ini_get("onehop.config"),
        ));
    } catch (OneHop\ConfigInvalid $failure) {
        echo str_replace(getcwd(), "", $failure->getMessage());
    }');
$names = ['one', 'two', 'three'];
foreach ($names as $name) {
    $port = lab_redis('--requirepass', "secret-$name");
    $plain = lab_plain($port);
    $plain->auth("secret-$name");
    $plain->set('where', $name);
    $variables = $name === 'three' ? '' : "env[REDIS_PASSWORD] = secret-$name\n";
    $pools[] = $pool($name, Lab::$directory, "env[REDIS_PORT] = $port\n$variables"
        . 'php_admin_value[onehop.config] = ' . Lab::file('n.yml'));
}
file_put_contents(
    Lab::file('fpm.conf'),
    "[global]\nerror_log = " . Lab::file('fpm.log') . "\ndaemonize = no\n" . implode($pools),
);
lab_start_fpm();
foreach ([...$roots, ...$names] as $name) {
    $sockets[$name] = in_array($name, $roots, true)
        ? Lab::file("$name/$name.sock")
        : Lab::file("$name.sock");
    Lab::await("unix://$sockets[$name]");
}
$changes = static fn (): int
    => substr_count(file_get_contents(Lab::file('fpm.log')), ' changed: ');

echo "-- roots\n";
for ($round = 0; $round < 6; $round++) {
    foreach ($roots as $name) {
        $seen["$name: " . $ask($sockets[$name], '/page.php')] = true;
    }
    usleep(300000); /* So a worker of each pool checks whether its file has changed. */
}
echo implode("\n", array_keys($seen)), "\n";
lab_show('changes told', $changes());

echo "-- environments\n";
$rounds = static function () use ($ask, $sockets, $names): void {
    $seen = [];
    for ($round = 0; $round < 9; $round++) {
        foreach ($names as $name) {
            $answer = explode(' ', $ask($sockets[$name], Lab::file('page.php')), 2);
            $seen["$name: " . ($name === 'three' ? strstr($answer[1], 'line') : $answer[0])] = true;
        }
        usleep(200000); /* So a worker of each pool checks whether its file has changed. */
    }
    echo implode("\n", array_keys($seen)), "\n";
};
$rounds();
$write('timeout: 31999');
$rounds();
lab_show('changes told', $changes());
lab_show('known', explode(' ', $ask($sockets['one'], Lab::file('page.php')))[1]);
lab_show(
    'warned of the mode of the file',
    substr_count(file_get_contents(Lab::file('fpm.log')), 'every user of this machine'),
);
?>
--EXPECT--
-- roots
north: north /etc/n.yml
south: south /etc/n.yml
changes told: 0
-- environments
one: one
two: two
three: line 3: directive "redis_auth" needs the environment variable "REDIS_PASSWORD", which is not set; correct the file, or name another one
one: one
two: two
three: line 3: directive "redis_auth" needs the environment variable "REDIS_PASSWORD", which is not set; correct the file, or name another one
changes told: 2
known: "2"
warned of the mode of the file: 0
