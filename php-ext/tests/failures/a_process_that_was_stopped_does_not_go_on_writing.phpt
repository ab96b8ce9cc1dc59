--TEST--
A process that was stopped past its deadline does not go on writing
--DESCRIPTION--
Not beneath valgrind: it moves megabytes.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * The node stops the process when it waits in the midst of a large value, reads what is on its way,
 * and tells in files how many bytes had come before the process continued, and in the end.
 */
const VALUE_BYTES = 32_000_000;
$files = Lab::file('bytes');
$node = lab_node('
    sscanf($node->command()[1] ?? "", "key of %d", $process);
    $node->value("well");
    stream_socket_recvfrom($socket, 1, STREAM_PEEK);
    while (!str_contains(file_get_contents("/proc/$process/status"), "State:\tS")) {
        usleep(1000);
    }
    posix_kill($process, SIGSTOP);
    $bytes = 0;
    while (($more = fread($socket, 1 << 20)) !== false && $more !== "") {
        $bytes += strlen($more);
        file_put_contents("' . $files . '", $bytes);
    }
    file_put_contents("' . $files . '-all", $bytes);');
$config = lab_config([$node], ['timeout' => 3000]);
if (($id = pcntl_fork()) === 0) {
    pcntl_signal(SIGUSR1, static fn () => null);
    $redis = new OneHop\Redis('alpha', $config);
    $redis->get('key of ' . getmypid());
    try {
        $redis->set('key', str_repeat('x', VALUE_BYTES));
    } catch (OneHop\Exception $e) {
        file_put_contents("$files-told", lab_hide($e->getMessage()));
    }
    unset($redis);
    posix_kill(posix_getpid(), SIGKILL);
}
$end = microtime(true) + 60;
for ($before = $last = 0; $before === 0 || $before !== $last; $last = $before) {
    sleep(4); /* The deadline, and a second. */
    $before = (int) @file_get_contents($files);
    if (microtime(true) > $end) {
        break;
    }
}
posix_kill($id, SIGUSR1); /* So it finds its wait interrupted. */
posix_kill($id, SIGCONT);
pcntl_waitpid($id, $status);
while (!is_file("$files-all") && microtime(true) < $end) {
    usleep(1000);
}
lab_show('bytes came before', $before > 0);
lab_show('bytes came afterwards', (int) file_get_contents("$files-all") - $before);
echo file_get_contents("$files-told"), "\n";
?>
--EXPECT--
bytes came before: true
bytes came afterwards: 0
The node did not take the command within 3000 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
