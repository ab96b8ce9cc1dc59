--TEST--
Junk that a worker pushes into the queues of a host costs no descriptor, no reply and no time
--DESCRIPTION--
No second try: it looks for wrong replies.
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_redis();
$plain = lab_plain($port);
$plain->set('key', 'value');
$config = lab_config([$port], ['pool_size' => 2]);
$page = lab_fpm(['display_errors' => '1'], 1);
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
$value = $redis->get('key');
echo getmypid(), ' ', $value, ' ', count(scandir('/proc/self/fd'));
PHP;
$page($script, ['config' => $config]);
[$worker, , $before] = explode(' ', $page($script, ['config' => $config]));
$accepted = lab_accepted($plain);

/*
 * Sends through the worker's own sockets. The note of a connection is as long as the struct in
 * engine/shared/queue.h.
 */
$neighbour = <<<'PHP'
<?php
$c = FFI::cdef('
    long syscall(long number, ...);
    int shutdown(int, int);
    int getsockopt(int, int, int, void *, void *);
    struct iovec { void *bytes; size_t length; };
    struct msghdr {
        void *name;
        unsigned name_length;
        struct iovec *parts;
        size_t parts_count;
        void *control;
        size_t control_length;
        int flags;
    };
    long sendmsg(int, struct msghdr *, int);');
[, $worker, $what] = $argv;
$process = $c->syscall(434, (int) $worker, 0);
$send = static function (int $to, string $text, array $descriptors) use ($c) {
    $message = $c->new('struct msghdr');
    $part = $c->new('struct iovec');
    $bytes = $c->new('char[128]');
    FFI::memcpy($bytes, $text . "\0", strlen($text));
    [$part->bytes, $part->length] = [$c->cast('void *', FFI::addr($bytes)), strlen($text)];
    [$message->parts, $message->parts_count] = [FFI::addr($part), 1];
    $control = $c->new('char[64]');
    if ($descriptors) {
        $packed = pack('qll', 16 + 4 * count($descriptors), 1, 1) . pack('l*', ...$descriptors);
        FFI::memcpy($control, $packed, strlen($packed));
        [$message->control, $message->control_length] = [
            $c->cast('void *', FFI::addr($control)),
            strlen($packed),
        ];
    }
    return $c->sendmsg($to, FFI::addr($message), 0x40);
};
$sent = 0;
foreach (scandir("/proc/$worker/fd") as $number) {
    if (!str_starts_with((string) @readlink("/proc/$worker/fd/$number"), 'socket:')) {
        continue;
    }
    $socket = $c->syscall(438, $process, (int) $number, 0);
    $type = $c->new('int');
    $length = $c->new('unsigned');
    $length->cdata = 4;
    $c->getsockopt($socket, 1, 3, FFI::addr($type), FFI::addr($length));
    if ($type->cdata !== 5) { /* SOCK_SEQPACKET */
        continue;
    }
    if ($what === 'shut') {
        $c->shutdown($socket, 2);
        continue;
    }
    $note = str_repeat("\xff", 64);
    foreach ([
        [$note, [0, 0]], [$note, [0]], [$note, []], ["$note and more", [0]], ['less', [0, 0]],
        ['', []], ['', [0]], ['', [0, 0]],
    ] as [$text, $descriptors]) {
        $sent += $send($socket, $text, $descriptors) >= 0;
    }
}
echo $what === 'shut' || $sent >= 16 ? "done\n" : "nothing was sent\n";
PHP;
$arguments = ['-d', 'extension=ffi', '-d', 'ffi.enable=1'];
file_put_contents(Lab::file('neighbour.php'), $neighbour);
$run = static function (string $what) use ($arguments, $worker): string {
    $command = [PHP_BINARY, '-n', ...$arguments, Lab::file('neighbour.php'), $worker, $what];
    return (string) shell_exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1');
};

foreach ([1, 2, 3] as $time) {
    echo $run('junk');
    foreach ([1, 2, 3] as $request) {
        [$same, $value, $after] = explode(' ', $page($script, ['config' => $config]));
        if ($same !== $worker || $value !== 'value') {
            echo "wrong: $same $value\n";
        }
    }
}
echo 'descriptors left open: ', (int) $after - (int) $before, "\n";
echo 'connections opened because of it: ', lab_accepted($plain) - $accepted, "\n";
echo $run('shut');
foreach ([1, 2] as $request) {
    [$same, $value] = explode(' ', $page($script, ['config' => $config]));
    echo $same === $worker ? $value : 'another worker', "\n";
}
?>
--EXPECT--
done
done
done
descriptors left open: 0
connections opened because of it: 0
done
value
value
