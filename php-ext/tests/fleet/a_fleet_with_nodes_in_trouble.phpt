--TEST--
Commands without a key where a node is down, hangs or answers with an error: another one is asked, or what is missing is said
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
lab_tell(fn () => count($redis->time()));
lab_tell(fn () => $redis->echo('text'));
lab_tell(fn () => $redis->rawCommand('COMMAND', 'COUNT') > 100);
lab_tell(fn () => $redis->pipeline()->echo('text')->get($key['live'])->exec());

echo "-- RANDOMKEY: what is there is found, but that nothing is there cannot be said\n";
lab_tell(fn () => $redis->randomKey());
$redis->set($key['live'], 1);
for ($i = 0; $i < 10; $i++) {
    $found[] = $redis->randomKey();
}
var_dump(array_unique($found) === [$key['live']]);

echo "-- all nodes: no sum of fewer\n";
foreach ([['dbSize'], ['keys', '*'], ['flushAll'], ['role'], ['info', 'server']] as $call) {
    try {
        var_dump($redis->{$call[0]}(...array_slice($call, 1)));
    } catch (OneHop\PartialBatch $e) {
        echo $call[0], ': ';
        foreach ($e->getReplies() as $name => $reply) {
            echo $name, ' => ', $reply instanceof OneHop\Exception ? $reply->getKind() : (is_array($reply) ? 'array' : json_encode($reply)), ', ';
        }
        echo 'failed: ', implode(' ', array_keys($e->getFailures())), "\n";
    }
}
lab_tell(fn () => (new OneHop\Redis('alpha', lab_config(["127.0.0.1:$dead:1 dead", "127.0.0.1:$dead:1 gone"], [], 'none.yml')))->dbSize());

echo "-- an order that one node follows, because the others have nothing to do\n";
$kill = fn (string ...$answers) => new OneHop\Redis('alpha', lab_config(array_map(fn ($i, $answer) => $answer === ''
    ? "127.0.0.1:$dead:1 n$i" : '127.0.0.1:' . lab_node("while (\$node->command()) { \$node->send(\"$answer\\r\\n\"); }") . ":1 n$i", array_keys($answers), $answers)));
lab_tell(fn () => $kill('-NOTBUSY nothing', '+OK', '-NOTBUSY nothing')->script('kill'));
lab_tell(fn () => $kill('', '+OK')->script('kill'));
lab_tell(fn () => $kill('-NOTBUSY nothing', '-NOTBUSY nothing')->script('kill'));
lab_tell(fn () => $kill('-ERR one', '-ERR two')->script('kill'));

echo "-- an error of one node fails the whole, as phpredis shows errors\n";
$redis = $kill(':5', '-ERR no');
lab_tell(fn () => $redis->dbSize());
lab_tell(fn () => trim($redis->getLastError()));
lab_tell(fn () => $kill('+OK', '-ERR no')->flushAll());
lab_tell(fn () => $kill(':5', '+no number')->dbSize());

echo "-- a hung node costs one deadline, then another one is asked\n";
[$port, $hung] = lab_redis_process();
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 hung", "127.0.0.1:$live:1 live"], ['timeout' => 1500]));
Lab::signal($hung, SIGSTOP);
lab_tell(fn () => $redis->echo('text'));
lab_tell(fn () => $redis->echo('text'));
Lab::signal($hung, SIGCONT);

echo "-- in a pipeline: what cannot be one reply is told in its place\n";
$redis = new OneHop\Redis('alpha', lab_config([$live, lab_redis(), lab_redis()]));
try {
    $redis->pipeline()->dbSize()->config('get', 'port')->randomKey()->ping()->exec();
} catch (OneHop\PartialBatch $e) {
    echo implode(', ', array_map(fn ($reply) => $reply instanceof OneHop\Exception ? $reply->getKind() : json_encode($reply), $e->getReplies())), "\n", $e->getMessage(), "\n";
}
echo "-- what the servers are\n";
if (method_exists('Redis', 'serverVersion')) {
    var_dump($redis->serverName() === ($redis->info('server')['server_name'] ?? 'redis'),
        $redis->serverVersion() === ($redis->info('server')['valkey_version'] ?? $redis->info('server')['redis_version']));
} else {
    var_dump(true, true);
}
?>
--EXPECT--
-- any node: the next one
int(2)
string(4) "text"
bool(true)
array(2) {
  [0]=>
  string(4) "text"
  [1]=>
  bool(false)
}
-- RANDOMKEY: what is there is found, but that nothing is there cannot be said
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that redis runs there and can be reached
bool(true)
-- all nodes: no sum of fewer
dbSize: 0 => NodeDown, 1 => 1, failed: dead
keys: 0 => NodeDown, 1 => array, failed: dead
flushAll: 0 => NodeDown, 1 => true, failed: dead
role: dead => NodeDown, live => array, failed: dead
info: 0 => NodeDown, 1 => array, failed: dead
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that redis runs there and can be reached
-- an order that one node follows, because the others have nothing to do
bool(true)
bool(true)
RedisException: NOTBUSY nothing
bool(false)
-- an error of one node fails the whole, as phpredis shows errors
bool(false)
string(6) "ERR no"
bool(false)
bool(false)
-- a hung node costs one deadline, then another one is asked
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 1500 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again if the command may run twice
string(4) "text"
-- in a pipeline: what cannot be one reply is told in its place
0, Unsupported, false, true
A part of the batch failed, though every node has answered, server pool alpha: its commands were answered; getReplies() has all replies, with a failure in the place of each such part, the first: The nodes answer differently, which no single reply can say, server pool alpha
-- what the servers are
bool(true)
bool(true)
