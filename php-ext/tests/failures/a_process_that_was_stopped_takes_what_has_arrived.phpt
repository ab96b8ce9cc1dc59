--TEST--
A process that was stopped past its deadline takes the answers that have arrived meanwhile
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * Once all nodes have their commands, they stop the process and answer. The values of a batch take
 * several reads.
 */
const VALUE_BYTES = 5000;
$script = '
    is_stopped = False
    for words in commands():
        if words[1].startswith("stop ") and not is_stopped:
            is_stopped = True
            test.asked += 1
            until(lambda: test.asked == test.nodes)
            os.kill(int(words[1].split()[1]), signal.SIGSTOP)
            value(test.value)
            tell("answered")
        else:
            value(test.value)';
$calls = [
    'one command' => [1, static fn ($redis, array $keys) => [$redis->get(current($keys))]],
    'a batch for one node' => [1, batch(...)],
    'a batch for two nodes' => [2, batch(...)],
];

/* The values, each read ten times. */
function batch(OneHop\Redis $redis, array $keys): array
{
    $batch = $redis->pipeline();
    for ($i = 0; $i < 10; $i++) {
        array_map($batch->get(...), $keys);
    }
    return $batch->exec();
}

foreach ($calls as $what => [$nodes, $call]) {
    $files = Lab::file(strtr($what, ' ', '-'));
    $values = ['value' => str_repeat('x', VALUE_BYTES), 'asked' => 0, 'nodes' => $nodes];
    $ports = [lab_node($script, $values)];
    $nodes === 2 && $ports[] = lab_node($script, beside: $ports[0]);
    $config = lab_config($ports, ['timeout' => 5000]);
    if (($id = pcntl_fork()) === 0) {
        pcntl_signal(SIGUSR1, static fn () => null);
        $redis = new OneHop\Redis('alpha', $config);
        $told = [];
        foreach (['key ', 'stop ' . getmypid() . ' '] as $prefix) {
            try {
                $values = $call($redis, lab_key_of_each($config, $prefix));
                $told[] = array_unique($values) === [str_repeat('x', VALUE_BYTES)]
                    ? 'well'
                    : 'other values';
            } catch (OneHop\Exception $e) {
                $told[] = get_class($e) . ': ' . $e->getMessage();
            }
        }
        file_put_contents("$files-told", implode('; ', $told));
        posix_kill(posix_getpid(), SIGKILL);
    }
    array_map(static fn ($port) => lab_await($port, 'answered'), $ports);
    sleep(6);
    posix_kill($id, SIGUSR1); /* This interrupts the wait of the process. */
    posix_kill($id, SIGCONT);
    pcntl_waitpid($id, $status);
    echo $what, ': ', file_get_contents("$files-told"), "\n";
}
?>
--EXPECT--
one command: well; well
a batch for one node: well; well
a batch for two nodes: well; well
