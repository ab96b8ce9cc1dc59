--TEST--
If a TLS handshake is reset, at any byte, the node has failed, and no command is sent
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';

const REPLY_BYTES_MAX = 40; /* A reply of two or three bytes in a record. */
$stride = getenv('USE_ZEND_ALLOC') === '0' ? 23 : 1; /* Not every byte beneath valgrind. */

/* Calls over a new connection: server pools with different pool_size share none. */
function call(LabRelay $relay): ?string
{
    static $count = 0;
    $redis = new OneHop\Redis('alpha', lab_tls_config(
        ["127.0.0.1:$relay->port:1"],
        ['pool_size' => ++$count],
    ));
    try {
        $redis->incr('counter');
        return null;
    } catch (OneHop\Exception $e) {
        return get_class($e) . ($e->mayHaveExecuted() ? ', may have executed' : ', not sent');
    }
}

foreach (['TLSv1.2', 'TLSv1.3'] as $version) {
    [$port, $plain] = lab_tls_redis('node', '--tls-protocols', $version);
    $relay = new LabRelay($port);
    lab_show($version, 'reset at a byte of the handshake');
    if (pcntl_fork() === 0) {
        call($relay);
        posix_kill(posix_getpid(), SIGKILL);
    }
    pcntl_wait($status);
    Lab::until(
        static function () use ($relay, &$passed): bool {
            $passed = max([0, ...$relay->passed()]);
            return $passed > 0;
        },
        'end of the connection',
    );
    $handshake = $passed - 2 * REPLY_BYTES_MAX; /* Signatures differ by some bytes. */
    $seen = [];
    /* With TLS 1.3 the node sends tickets after it has the command. */
    for ($cut = 1; $cut < $handshake; $cut += $cut < 16 ? 1 : $stride) {
        $relay->limit($cut);
        $seen[] = call($relay) ?? "served at byte $cut";
    }
    $counts = array_count_values($seen);
    $may = $counts['OneHop\NodeDown, may have executed'] ?? 0;
    lab_show('not sent', ($counts['OneHop\NodeDown, not sent'] ?? 0) > 40);
    lab_show('anything else', array_sum($counts) - $counts['OneHop\NodeDown, not sent'] - $may);
    lab_show('executed, but reported as not sent', max(
        0,
        lab_plain($plain)->get('counter') - 1 - $may,
    ));
    $relay->limit(null);
    lab_show('then', call($relay));
}
?>
--EXPECT--
TLSv1.2: "reset at a byte of the handshake"
not sent: true
anything else: 0
executed, but reported as not sent: 0
then: null
TLSv1.3: "reset at a byte of the handshake"
not sent: true
anything else: 0
executed, but reported as not sent: 0
then: null
