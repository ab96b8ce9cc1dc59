--TEST--
A write fails only if it began before the node's close arrived; a read never fails
--DESCRIPTION--
Not beneath valgrind: it is about a millisecond.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const CONNECTIONS = 500;
/*
 * A node that closes each connection after its first reply, within two milliseconds, and tells when
 * the close had arrived and how many bytes came after it. No client can know of a close that has
 * not arrived; phpredis fails then, too.
 */
const CLOSES = '
    value("value") if command()[0] == "GET" else reply("+OK")
    due = time.monotonic_ns() + random.randrange(2_000_000)
    while time.monotonic_ns() < due:
        pass
    end()
    tell([number, time.monotonic_ns(), await_close()])';
$count = static function (string $name, callable $call): void {
    $port = lab_node(CLOSES);
    $config = lab_config([$port], ['server_failure_limit' => CONNECTIONS]);
    $redis = new OneHop\Redis('alpha', $config);
    $begins = $failures = [];
    for ($connection = 0; $connection < CONNECTIONS && count($failures) < CONNECTIONS;) {
        for ($end = hrtime(true) + random_int(0, 3_000_000); hrtime(true) < $end;);
        $begin = hrtime(true);
        $begins[$connection] ??= $begin;
        try {
            $call($redis);
            $connection++;
        } catch (OneHop\NodeDown $failure) {
            $failures[] = [$begin, $connection, $failure];
        }
    }
    /* All connections but the last have ended. */
    Lab::until(static fn () => count(lab_told($port)) >= CONNECTIONS - 1, 'end of connections');
    /* When each close had arrived, and how many bytes came after it. */
    $closed = [[0, 0, 0]] + array_column(lab_told($port), null, 0);
    $early = $tooLate = $unsent = 0;
    for ($i = 1; $i < CONNECTIONS; $i++) {
        $early += $begins[$i] < $closed[$i][1];
    }
    foreach ($failures as [$begin, $connection, $failure]) {
        $tooLate += $begin > $closed[$connection][1];
        $unsent += $closed[$connection][2] === 0 || !$failure->mayHaveExecuted();
    }
    echo "-- $name\n";
    lab_show('calls on both sides of the close', min($early, CONNECTIONS - $early) > 20 ?: $early);
    lab_show('failed although the close had arrived', $tooLate);
    lab_show('failed although nothing was sent', $unsent);
    $name === 'reads' && lab_show('failed', count($failures));
};
$count('writes', static fn ($redis) => $redis->set('key', 'value'));
$count('reads', static fn ($redis) => $redis->get('key'));
?>
--EXPECT--
-- writes
calls on both sides of the close: true
failed although the close had arrived: 0
failed although nothing was sent: 0
-- reads
calls on both sides of the close: true
failed although the close had arrived: 0
failed although nothing was sent: 0
failed: 0
