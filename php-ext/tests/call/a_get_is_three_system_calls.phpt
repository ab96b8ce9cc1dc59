--TEST--
A GET on a warm connection makes three system calls on its socket: one look, one send, one receive
--DESCRIPTION--
Not beneath valgrind: this test counts system calls, and would count those of valgrind, too.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([lab_redis(), lab_redis()]);
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $argv[1]);
for ($i = 0; $i < 20; $i++) {
    $redis->get("key:$i");
}
@file_get_contents('/begin');
for ($i = 0; $i < 100; $i++) {
    $redis->get("key:$i");
}
@file_get_contents('/end');
PHP;
lab_run($script, [$config], [
    'strace', '-f', '-e', 'trace=network,poll,ppoll,read,write,open,openat', '-o',
    $trace = Lab::file('trace'),
]);
preg_match('~"/begin"(.*)"/end"~s', file_get_contents($trace), $between);
preg_match_all(
    '/\b(sendto|recvfrom|poll|ppoll|read|write|sendmsg|recvmsg|getsockopt|setsockopt)\(.*/',
    $between[1],
    $calls,
);
$sends = count(preg_grep('/^sendto/', $calls[0]));
$looks = count(preg_grep('/MSG_PEEK/', $calls[0]));
echo "100 GETs: $looks looks, $sends sends and ", count($calls[0]) - $looks - $sends,
    " other calls\n";
?>
--EXPECT--
100 GETs: 100 looks, 100 sends and 100 other calls
