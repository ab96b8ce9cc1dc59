--TEST--
A worker that may not read the file gets no copy of it, and does not block the others
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

chmod(Lab::$directory, 0755);
foreach (['one', 'two'] as $name) {
    lab_plain($$name = lab_redis())->set('where', $name);
}
$config = lab_config([$one], [], 'n.yml');
$write = static function (int $port, int $mode, array $directives = []): void {
    $file = lab_config([$port], $directives, 'beside.yml');
    chmod($file, $mode);
    rename($file, Lab::file('n.yml'));
};
$write($one, 0600);

/*
 * Two workers run as the file's owner, and one as another user. A worker that may not read
 * the file must not use what another worker has read from it.
 */
foreach (['root' => 2, 'nobody' => 1] as $user => $workers) {
    $group = posix_getgrgid(posix_getpwnam($user)['gid'])['name'];
    $pools[] = "[$user]\nuser = $user\ngroup = $group\nlisten = " . Lab::file("$user.sock")
        . "\npm = static\npm.max_children = $workers\nphp_admin_value[display_errors] = 0\n"
        . "catch_workers_output = yes\n";
}
file_put_contents(
    Lab::file('fpm.conf'),
    "[global]\nerror_log = " . Lab::file('fpm.log') . "\ndaemonize = no\n" . implode($pools),
);
lab_start_fpm();
file_put_contents(Lab::file('page.php'), '<?php
    try {
        $redis = new OneHop\Redis("alpha", "' . $config . '");
        echo $redis->get("where");
    } catch (OneHop\Exception $e) {
        echo preg_replace("~Configuration /.*/~", "", $e->getMessage());
    }');
$ask = static function (string $user): string {
    Lab::await('unix://' . Lab::file("$user.sock"));
    for ($i = 0; $i < 8; $i++) {
        $answer = (string) shell_exec(
            'SCRIPT_FILENAME=' . Lab::file('page.php')
                . ' REQUEST_METHOD=GET cgi-fcgi -bind -connect ' . Lab::file("$user.sock")
                . ' 2>/dev/null',
        );
        $seen[explode("\r\n\r\n", $answer, 2)[1] ?? $answer] = true;
    }
    return "$user: " . implode(', ', array_keys($seen)) . "\n";
};
echo "only the owner may read the file\n", $ask('root'), $ask('nobody'), $ask('root');
echo "all may read the file\n";
chmod($config, 0644);
echo $ask('nobody'), $ask('root');
echo "the file changes, and only the owner may read it, but another user calls first\n";
$write($two, 0600);
usleep(1100000);
echo $ask('nobody'), $ask('root'), $ask('nobody');
echo "all may read the file\n";
chmod($config, 0644);
usleep(1100000);
echo $ask('nobody'), $ask('root');
echo implode("\n", lab_fpm_told(
    '/[\d.]+ % of the keys of server pool alpha move \(generation \d\)/',
    1,
)), "\n";
echo 'warned of the mode of a file without a password: ',
    count(lab_fpm_told('/every user of this machine/', 1, 2)), "\n";

foreach ([0640, 0644, 0642, 0646] as $mode) {
    file_put_contents(Lab::file('fpm.log'), '');
    $write($two, $mode, ['redis_auth' => 'secret']);
    usleep(1100000);
    $ask('root');
    $told = lab_fpm_told('/n.yml holds .*?\)/', 1, $mode === 0640 ? 2 : 30);
    printf("%o: %s\n", $mode, implode(' | ', $told));
}
?>
--EXPECT--
only the owner may read the file
root: one
nobody: n.yml: Permission denied; correct the file, or name another one
root: one
all may read the file
nobody: one
root: one
the file changes, and only the owner may read it, but another user calls first
nobody: one
root: two
nobody: one
all may read the file
nobody: two
root: two
100.0 % of the keys of server pool alpha move (generation 2)
warned of the mode of a file without a password: 0
640: 
644: n.yml holds a password, and every user of this machine may read it: take these rights away (chmod o=)
642: n.yml holds a password, and every user of this machine may write it: take these rights away (chmod o=)
646: n.yml holds a password, and every user of this machine may read and write it: take these rights away (chmod o=)
