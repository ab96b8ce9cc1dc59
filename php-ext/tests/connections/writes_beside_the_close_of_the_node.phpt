--TEST--
A write fails only if the node's close had not arrived when it began; a read never does
--DESCRIPTION--
Not beneath valgrind: it is about a millisecond.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const CONNECTIONS = 500;
/*
 * A node that closes each connection after its first reply, within two milliseconds. Nobody can
 * know of a close that has not arrived; phpredis fails then, too.
 */
$count = static function (string $name, callable $call): void {
    $port = Lab::port();
    Lab::start(
        [
            '/usr/bin/python3', '-I', '-S', __DIR__ . '/../lab/closer.py', (string) $port,
            $log = Lab::file("closer-$port"),
        ],
        Lab::file("closer-$port.errors"),
    );
    Lab::await("tcp://127.0.0.1:$port");
    $config = lab_config([$port], ['server_failure_limit' => CONNECTIONS, 'timeout' => 5000]);
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
    /* When each close had arrived, and how many bytes came after it. The last one has no line. */
    $closed = [['0', '0'], ...array_map(static fn ($line) => explode(' ', $line), file($log))];
    $early = $tooLate = $unsent = 0;
    for ($i = 1; $i < CONNECTIONS; $i++) {
        $early += $begins[$i] < (int) $closed[$i][0];
    }
    foreach ($failures as [$begin, $connection, $failure]) {
        $tooLate += $begin > (int) $closed[$connection][0];
        $unsent += (int) $closed[$connection][1] === 0 || !$failure->mayHaveExecuted();
    }
    echo "-- $name\n", file_get_contents(Lab::file("closer-$port.errors"));
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
