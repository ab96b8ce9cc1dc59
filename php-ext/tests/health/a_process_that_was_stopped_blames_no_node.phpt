--TEST--
A process that was stopped past its deadline does not blame the node: no rest, no ejection
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/* The node stops the process as soon as its command arrives, so always before its deadline. */
$script = '
    for words in commands():
        if words[1].startswith("hang until "):
            os.kill(int(words[1].split()[2]), signal.SIGSTOP)
        elif words[1] != "hang":
            value("well")';
$cases = [];
foreach ([
    'resting' => [],
    'ejected' => ['auto_eject_hosts' => 'true', 'server_retry_timeout' => 60000],
] as $rule => $directives) {
    foreach ([true, false] as $is_stopped) {
        $port = lab_node($script);
        $config = lab_config(
            [$port],
            $directives + ['timeout' => 6000, 'server_failure_limit' => 1],
        );
        $file = Lab::file("$rule-$port");
        if (($id = pcntl_fork()) === 0) {
            $redis = new OneHop\Redis('alpha', $config);
            $told = [$redis->get('key')];
            $state = static fn () => array_values(array_filter(
                OneHop\Topology::status(),
                static fn ($pool) => $pool['path'] === $config,
            ))[0]['nodes'][0];
            /* On a busy machine the other process, too, may notice its deadline too late. */
            $end = microtime(true) + 60;
            while (
                !isset($told[1])
                || (!$is_stopped && $state()['state'] === 'up' && microtime(true) < $end)
            ) {
                try {
                    $redis->get($is_stopped ? 'hang until ' . getmypid() . ' continues' : 'hang');
                } catch (OneHop\Exception $e) {
                    $told[1] = get_class($e);
                }
            }
            $told[] = $state()['state'] . ', ' . $state()['failures'] . ' failures counted';
            if ($is_stopped) {
                $told[] = $redis->get('key');
            }
            file_put_contents($file, implode('; ', $told));
            posix_kill(posix_getpid(), SIGKILL);
        }
        $cases[] = [$rule, $is_stopped, $id, $file, $port];
    }
}
foreach ($cases as [, , , , $port]) {
    for (
        $end = microtime(true) + 60;
        !preg_grep('/ GET hang/', lab_commands($port)) && microtime(true) < $end;
        usleep(1000)
    );
}
sleep(8);
foreach ($cases as [$rule, $is_stopped, $id, $file]) {
    $is_stopped && posix_kill($id, SIGCONT);
    pcntl_waitpid($id, $status);
    echo $is_stopped ? 'stopped, or it would be ' : 'not stopped, so it is ', $rule, ': ',
        file_get_contents($file), "\n";
}
?>
--EXPECT--
stopped, or it would be resting: well; OneHop\DeadlineExceeded; up, 0 failures counted; well
not stopped, so it is resting: well; OneHop\DeadlineExceeded; resting, 1 failures counted
stopped, or it would be ejected: well; OneHop\DeadlineExceeded; up, 0 failures counted; well
not stopped, so it is ejected: well; OneHop\DeadlineExceeded; ejected, 0 failures counted
