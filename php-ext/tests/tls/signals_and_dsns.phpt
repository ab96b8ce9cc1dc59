--TEST--
Signals in the midst of a TLS handshake neither end nor lengthen it; a DSN turns TLS on
--DESCRIPTION--
Not beneath valgrind: a ClientHello alone may take longer there than the deadline of this test.
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';

[$port, $plain] = lab_tls_redis();
pcntl_async_signals(true);
pcntl_signal(SIGALRM, function () use (&$seen) {
    $seen++;
});

/** Calls a node while a child sends 20 signals, and then lets a stopped node go on. */
function call(int $port, int $timeoutMs, ?int $stopped = null): void
{
    global $seen;
    $redis = new OneHop\Redis('alpha', lab_tls_config([$port], ['timeout' => $timeoutMs]));
    $seen = 0;
    $parent = posix_getpid();
    if (($child = pcntl_fork()) === 0) {
        for ($i = 0; $i < 20; $i++) {
            usleep(20000);
            posix_kill($parent, SIGALRM);
        }
        $stopped && posix_kill($stopped, SIGCONT);
        posix_kill(posix_getpid(), SIGKILL);
    }
    $begin = hrtime(true);
    try {
        lab_show('served', $redis->set('key', 'value'));
        lab_show('the handler has run', $seen > 0);
    } catch (OneHop\Exception $e) {
        $ms = (hrtime(true) - $begin) / 1e6;
        lab_show(get_class($e), explode(', node ', $e->getMessage())[0]);
        lab_show('may have executed', $e->mayHaveExecuted());
        lab_show('at the deadline', $ms >= $timeoutMs && $ms < 2 * $timeoutMs);
    }
    while (pcntl_waitpid($child, $status) !== $child) {
        /* A signal came first. */
    }
}

echo "--- a node that hangs after the ClientHello\n";
call(lab_node('sleep(60);'), 1000);

echo "--- a node that answers late\n";
$pid = (int) lab_plain($plain)->info('server')['process_id'];
posix_kill($pid, SIGSTOP);
call($port, 20000, $pid);

echo "--- a DSN\n";
$query = http_build_query(['tls' => 'true', 'tls_ca_cert_file' => lab_pem('ca')]);
$redis = new OneHop\Redis("onehop://127.0.0.1:$port?$query&timeout=20000");
$redis->set('key', 'by a DSN');
lab_show('served', $redis->get('key'));
?>
--EXPECT--
--- a node that hangs after the ClientHello
OneHop\DeadlineExceeded: "TLS handshake not over within 1000 ms"
may have executed: false
at the deadline: true
--- a node that answers late
served: true
the handler has run: true
--- a DSN
served: "by a DSN"
