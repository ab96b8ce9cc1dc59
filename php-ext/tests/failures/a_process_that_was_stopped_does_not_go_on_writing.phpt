--TEST--
A process that was stopped past its deadline does not go on writing
--DESCRIPTION--
Not beneath valgrind: it moves megabytes.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * When the process waits in the midst of sending a large value, the node stops it, and then reads
 * what was already sent. The node tells how many bytes have come.
 */
const VALUE_BYTES = 32_000_000;
$told = Lab::file('told');
$node = lab_node('
    process = int(command()[1].split()[-1])
    value("well")
    peek()
    until(lambda: "State:\tS" in open(f"/proc/{process}/status").read())
    os.kill(process, signal.SIGSTOP)
    tell("stopped")
    count = 0
    while data := receive():
        count += len(data)
        tell(count)
    tell("all")');
$config = lab_config([$node], ['timeout' => 6000]);
if (($id = pcntl_fork()) === 0) {
    pcntl_signal(SIGUSR1, static fn () => null);
    $redis = new OneHop\Redis('alpha', $config);
    $redis->get('key of ' . getmypid());
    try {
        $redis->set('key', str_repeat('x', VALUE_BYTES));
    } catch (OneHop\Exception $e) {
        file_put_contents($told, lab_hide($e->getMessage()));
    }
    unset($redis);
    posix_kill(posix_getpid(), SIGKILL);
}
lab_await($node, 'stopped');
sleep(7); /* The deadline, and a second. */
$before = array_slice(lab_told($node), -1)[0];
posix_kill($id, SIGUSR1); /* This interrupts the wait of the process. */
posix_kill($id, SIGCONT);
pcntl_waitpid($id, $status);
lab_await($node, 'all');
lab_show('bytes came before', $before > 0);
lab_show('bytes came afterwards', array_slice(lab_told($node), -2)[0] - $before);
echo file_get_contents($told), "\n";
?>
--EXPECT--
bytes came before: true
bytes came afterwards: 0
The node did not take the command within 6000 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
