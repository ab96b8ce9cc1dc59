--TEST--
If a node fails, a command without a key goes to another node, or the failure names the failed node
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$live = lab_redis();
$dead = Lab::port();
$config = lab_config(["127.0.0.1:$dead:1 dead", "127.0.0.1:$live:1 live"]);
$key = lab_key_of_each($config);
$redis = new OneHop\Redis('alpha', $config);
$plain = lab_plain($live);

echo "-- any node: the next one\n";
lab_show('parts of TIME', count($redis->time()));
lab_show('ECHO', $redis->echo('text'));
lab_show(
    'COMMAND COUNT by rawCommand() is above 100',
    $redis->rawCommand('COMMAND', 'COUNT') > 100,
);
lab_show(
    'ECHO and GET of an unset key in a pipeline',
    $redis->pipeline()->echo('text')->get($key['live'])->exec(),
);

echo "-- RANDOMKEY finds a key of a live node, but cannot claim that there is none\n";
lab_tell(fn () => $redis->randomKey());
$redis->set($key['live'], 1);
for ($i = 0; $i < 10; $i++) {
    $found[] = $redis->randomKey();
}
lab_show('10 times the only key', array_unique($found) === [$key['live']]);

echo "-- all nodes: never the sum of some\n";
foreach ([['dbSize'], ['keys', '*'], ['flushAll'], ['role'], ['info', 'server']] as $call) {
    try {
        lab_show($call[0], $redis->{$call[0]}(...array_slice($call, 1)));
    } catch (OneHop\PartialBatch $e) {
        echo $call[0], ': ';
        foreach ($e->getReplies() as $name => $reply) {
            echo $name, ' => ', $reply instanceof OneHop\Exception
                ? $reply->getKind()
                : (is_array($reply) ? 'array' : json_encode($reply)), ', ';
        }
        echo 'failed: ', implode(' ', array_keys($e->getFailures())), "\n";
    }
}
lab_tell(fn () => (new OneHop\Redis(
    'alpha',
    lab_config(["127.0.0.1:$dead:1 dead", "127.0.0.1:$dead:1 gone"], [], 'none.yml'),
))->dbSize());

echo "-- an order that one node carries out, because the others have nothing to do\n";
$kill = fn (string ...$answers) => new OneHop\Redis('alpha', lab_config(array_map(
    fn ($i, $answer) => $answer === '' ? "127.0.0.1:$dead:1 n$i" : '127.0.0.1:'
        . lab_node('for words in commands(): reply(test.answer)', ['answer' => $answer])
        . ":1 n$i",
    array_keys($answers),
    $answers,
)));
lab_show(
    'one of three nodes kills a script',
    $kill('-NOTBUSY nothing', '+OK', '-NOTBUSY nothing')->script('kill'),
);
lab_show('one node kills a script, the other one is down', $kill('', '+OK')->script('kill'));
lab_tell(fn () => $kill('-NOTBUSY nothing', '-NOTBUSY nothing')->script('kill'));
lab_show('both answer with an error', $kill('-ERR one', '-ERR two')->script('kill'));

echo "-- an error of one node fails the call, as phpredis shows errors\n";
$redis = $kill(':5', '-ERR no');
lab_show('DBSIZE', $redis->dbSize());
lab_show('last error', trim($redis->getLastError()));
lab_show('FLUSHALL', $kill('+OK', '-ERR no')->flushAll());
lab_show('DBSIZE where one node answers with no number', $kill(':5', '+no number')->dbSize());

echo "-- a hung node costs one deadline, then another node is asked\n";
[$port, $hung] = lab_redis_process();
$redis = new OneHop\Redis(
    'alpha',
    lab_config(["127.0.0.1:$port:1 hung", "127.0.0.1:$live:1 live"], ['timeout' => 3000]),
);
Lab::signal($hung, SIGSTOP);
lab_tell(fn () => $redis->echo('text'));
lab_show('the next ECHO', $redis->echo('text'));
Lab::signal($hung, SIGCONT);

echo "-- in a pipeline: a failure takes the place of the reply\n";
$redis = new OneHop\Redis('alpha', lab_config([$live, lab_redis(), lab_redis()]));
try {
    $redis->pipeline()->dbSize()->config('get', 'port')->randomKey()->ping()->exec();
} catch (OneHop\PartialBatch $e) {
    echo implode(', ', array_map(
        fn ($reply) => $reply instanceof OneHop\Exception ? $reply->getKind() : json_encode($reply),
        $e->getReplies(),
    )), "\n", $e->getMessage(), "\n";
}
echo "-- name and version of the servers\n";
if (method_exists('Redis', 'serverVersion')) {
    $info = $redis->info('server');
    $isNamed = $redis->serverName() === ($info['server_name'] ?? 'redis');
    $hasVersion = $redis->serverVersion() === ($info['valkey_version'] ?? $info['redis_version']);
}
lab_show('the name is that of INFO', $isNamed ?? true);
lab_show('and so is the version', $hasVersion ?? true);
?>
--EXPECT--
-- any node: the next one
parts of TIME: 2
ECHO: "text"
COMMAND COUNT by rawCommand() is above 100: true
ECHO and GET of an unset key in a pipeline: ["text",false]
-- RANDOMKEY finds a key of a live node, but cannot claim that there is none
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
10 times the only key: true
-- all nodes: never the sum of some
dbSize: 0 => NodeDown, 1 => 1, failed: dead
keys: 0 => NodeDown, 1 => array, failed: dead
flushAll: 0 => NodeDown, 1 => true, failed: dead
role: dead => NodeDown, live => array, failed: dead
info: 0 => NodeDown, 1 => array, failed: dead
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
-- an order that one node carries out, because the others have nothing to do
one of three nodes kills a script: true
one node kills a script, the other one is down: true
RedisException: NOTBUSY nothing
both answer with an error: false
-- an error of one node fails the call, as phpredis shows errors
DBSIZE: false
last error: "ERR no"
FLUSHALL: false
DBSIZE where one node answers with no number: false
-- a hung node costs one deadline, then another node is asked
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 3000 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
the next ECHO: "text"
-- in a pipeline: a failure takes the place of the reply
0, Unsupported, false, true
Part of the batch failed, although every node answered, server pool alpha: all commands were answered; getReplies() has the replies, with a failure in place of each part that failed; the first failure: The nodes gave different answers, which no single reply can express, server pool alpha
-- name and version of the servers
the name is that of INFO: true
and so is the version: true
