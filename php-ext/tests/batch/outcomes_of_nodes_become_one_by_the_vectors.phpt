--TEST--
The outcome of a call over several nodes follows from those of its nodes, as the vectors say
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * Nodes whose fate is REPLY or MAYBE_EXECUTED pass their commands on to one real server, whose own
 * count of commands is the ledger. The fate ANSWERED is an answer of a node of a cluster.
 */
$real = lab_redis();
$script = '
    server = socket.create_connection(("127.0.0.1", test.server)).makefile("rwb", 0)
    for words in commands():
        if test.fate == "ANSWERED":
            reply("-MOVED 1 127.0.0.1:1")
            continue
        server.write(listed(words))
        answer = server.readline()
        if answer[:1] == b"$":
            answer += server.readline()
        if test.fate == "MAYBE_EXECUTED":
            close()
        send(answer)';
$ports = array_map(static fn () => lab_node($script, ['server' => $real]), range(0, 2));
$dead = Lab::port();
$plain = lab_plain($real);
function executed(): int
{
    static $asked = 0;
    return $GLOBALS['plain']->info('stats')['total_commands_processed'] - $asked++;
}
function may(mixed $reply): ?bool
{
    return $reply instanceof OneHop\Exception ? $reply->mayHaveExecuted() : null;
}
$calls = [
    'pipeline' => fn ($redis, $keys) => array_reduce(
        $keys,
        fn ($pipeline, $key) => $pipeline->incr($key),
        $redis->pipeline(),
    )->exec(),
    'pipeline without the express lane' => fn ($redis, $keys) => array_reduce(
        $keys,
        fn ($pipeline, $key) => $pipeline->rawCommand('INCR', $key),
        $redis->pipeline(),
    )->exec(),
    'MSET' => fn ($redis, $keys) => $redis->mset(array_fill_keys($keys, 1)),
    'MSET in a pipeline' => fn ($redis, $keys) => $redis->pipeline()
        ->mset(array_fill_keys($keys, 1))->exec(),
    'DEL' => fn ($redis, $keys) => $redis->del($keys),
    'UNLINK' => fn ($redis, $keys) => $redis->unlink(...$keys),
    'onEachNode' => fn ($redis) => $redis->onEachNode('incr', 'counter'),
    'FLUSHDB' => fn ($redis) => $redis->flushDB(),
    'SCRIPT LOAD' => fn ($redis) => $redis->script('load', 'return 1'),
];
$page = json_decode(
    file_get_contents(__DIR__ . '/../../../spec/route/vectors/outcomes.json'),
    true,
);
$tests = array_merge(...array_column($page['testGroups'], 'tests'));
$kept = $worst = 0;
foreach ($tests as $test) {
    $servers = [];
    foreach ($test['nodes'] as $i => $outcome) {
        lab_change($ports[$i], fate: $outcome);
        $port = $outcome === 'NOT_SENT' ? $dead : $ports[$i];
        $servers[] = "127.0.0.1:$port:1 n$i";
    }
    $config = lab_config($servers, ['server_failure_limit' => 1000]);
    $keys = lab_key_of_each($config);
    ksort($keys);
    $redis = new OneHop\Redis('alpha', $config);
    foreach ($calls as $name => $call) {
        $before = executed();
        try {
            $call($redis, array_values($keys));
            $given = 'REPLY';
        } catch (OneHop\PartialBatch $e) {
            $given = $e->getKind();
            /* A command over several nodes is one reply of the pipeline. */
            if ($name === 'MSET in a pipeline' && !may($e->getReplies()[0])) {
                echo "$test[tcId] $name: its reply says that it was not sent\n";
            }
        } catch (OneHop\Exception $e) {
            $given = (int) substr($e->getNode(), 1);
        }
        $stands = executed() - $before;
        if ($given !== $test['call']) {
            echo "$test[tcId] $name: ", json_encode($given), ", not $test[call]\n";
        }
        if (is_int($given)) {
            $worst++;
            if ($e->mayHaveExecuted() !== ($test['nodes'][$test['call']] !== 'NOT_SENT')) {
                echo "$test[tcId] $name: may have executed: ", json_encode(may($e)), "\n";
            }
            if (!$e->mayHaveExecuted() && $stands > 0) {
                echo "$test[tcId] $name: not sent, and $stands were executed\n";
            }
            $kept += $stands;
        }
    }
}
echo count($tests) === $page['numberOfTests'] ? "all vectors\n" : "vectors are missing\n";
lab_show('calls failed on all nodes', $worst > 50);
lab_show('and some of these were executed', $kept > 20);
?>
--EXPECT--
all vectors
calls failed on all nodes: true
and some of these were executed: true
