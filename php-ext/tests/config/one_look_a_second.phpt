--TEST--
The workers of a host together look at each file once a second at most, by one system call
--DESCRIPTION--
Not beneath valgrind: this test counts system calls, and would count those of valgrind, too.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([lab_redis()], ['redis_auth_file' => Lab::file('password')]);
file_put_contents(Lab::file('password'), 'not needed');
chmod(Lab::file('password'), 0600);
$script = <<<'PHP'
<?php
new OneHop\Redis('alpha', $argv[1]); /* The memory that is shared has it now. */
$begin = hrtime(true);
for ($i = 0; $i < 2; $i++) {
    if (!($children[] = pcntl_fork())) {
        $redis = new OneHop\Redis('alpha', $argv[1]);
        for ($calls = 0; hrtime(true) - $begin < ($calls > 100 ? 4e9 : 60e9); $calls++) {
            $redis->get('key');
            $calls % 10 || new OneHop\Redis('alpha', $argv[1]);
            usleep(1000);
        }
        exit($calls > 100 ? 0 : 1);
    }
}
foreach ($children as $child) {
    pcntl_waitpid($child, $status);
    echo pcntl_wexitstatus($status) ? 'few calls' : 'many calls', "\n";
}
@file_get_contents('/seconds/' . ceil((hrtime(true) - $begin) / 1e9));
PHP;
echo lab_run($script, [$config], [
    'strace', '-f', '-e', 'trace=%%stat,open,openat', '-o', $trace = Lab::file('trace'),
]);
$trace = file_get_contents($trace);
preg_match('~"/seconds/(\d+)"~', $trace, $seconds);
$files = ['the configuration' => $config, 'the password file' => Lab::file('password')];
foreach ($files as $what => $file) {
    $name = preg_quote($file, '~');
    $looks = preg_match_all("~stat\w*\((?:AT_FDCWD, )?\"$name\"~", $trace);
    /* The first reading takes one more look. */
    lab_show("looks at $what", $looks >= 3 && $looks <= $seconds[1] + 1 ?: "$looks in $seconds[0]");
    lab_show("readings of $what", preg_match_all("~open(?:at\(AT_FDCWD, |\()\"$name\"~", $trace));
}
?>
--EXPECT--
many calls
many calls
looks at the configuration: true
readings of the configuration: 1
looks at the password file: true
readings of the password file: 1
