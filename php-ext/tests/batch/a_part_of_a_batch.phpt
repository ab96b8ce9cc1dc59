--TEST--
PartialBatch carries the replies that arrived, in order, and the failure of each other node
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$dead = Lab::port();
[$hung, $hung_id] = lab_redis_process();
$config = lab_config(
    ['127.0.0.1:' . lab_redis() . ':1 fine', "127.0.0.1:$dead:1 dead", "127.0.0.1:$hung:1 hung"],
    ['timeout' => 3000, 'server_failure_limit' => 1000],
);
Lab::signal($hung_id, SIGSTOP);
$key = lab_key_of_each($config);
$redis = new OneHop\Redis('alpha', $config);

function show(mixed $reply): string
{
    return $reply instanceof OneHop\Exception
        ? $reply->getKind() . ($reply->mayHaveExecuted() ? '?' : '')
            . ($reply->getNode() === null ? '' : ' on ' . $reply->getNode())
        : json_encode($reply);
}
function tell(callable $call): void
{
    try {
        $call();
    } catch (OneHop\PartialBatch $e) {
        echo $e->getKind(), ' may have executed: ', var_export($e->mayHaveExecuted(), true),
            ', node: ', var_export($e->getNode(), true), "\n";
        foreach ($e->getReplies() as $i => $reply) {
            echo "  $i: ", show($reply), "\n";
        }
        foreach ($e->getFailures() as $name => $failure) {
            echo "  $name: ", show($failure), "\n";
        }
        echo '  ', lab_hide($e->getMessage()), "\n";
    }
}
echo "-- pipeline\n";
tell(fn () => $redis->pipeline()->set($key['dead'], 1)->set($key['fine'], 'x')->get($key['hung'])
    ->get($key['fine'])->get($key['dead'])->exec());
echo "-- pipeline with split commands\n";
tell(fn () => $redis->pipeline()->mget([$key['fine'], $key['dead']])->del($key['fine'])
    ->get($key['fine'])->exec());
echo "-- MGET\n";
tell(fn () => $redis->mget([$key['fine'], $key['dead'], $key['hung'], $key['fine']]));
echo "-- DEL\n";
tell(fn () => $redis->del($key['fine'], $key['dead']));
echo "-- MSET\n";
tell(fn () => $redis->mset([$key['fine'] => 'set', $key['dead'] => 1]));
lab_tell(fn () => $redis->get($key['fine']));
echo "-- no reply arrived: of two failures, the one whose command may have executed\n";
lab_tell(fn () => $redis->pipeline()->get($key['dead'])->get($key['hung'])->exec());
lab_tell(fn () => $redis->mget([$key['hung'], $key['dead']]));
echo "-- more nodes failed than a message names\n";
$nodes = array_map(fn ($i) => "127.0.0.1:$dead:1 d%s\u{e9}$i", range(1, 5));
$config = lab_config(['127.0.0.1:' . lab_redis() . ':1 fine', ...$nodes]);
try {
    (new OneHop\Redis('alpha', $config))->mget(array_values(lab_key_of_each($config)));
} catch (OneHop\PartialBatch $e) {
    echo preg_replace('~[1-5](?=,| and)~', 'N', strstr($e->getMessage(), ', server', true)), "\n";
}
echo "-- the client still works\n";
Lab::signal($hung_id, SIGCONT);
lab_tell(fn () => $redis->pipeline()->get($key['fine'])->set($key['hung'], 'back')
    ->get($key['hung'])->exec() === ['set', true, 'back']);
?>
--EXPECT--
-- pipeline
PartialBatch may have executed: true, node: NULL
  0: NodeDown on dead
  1: true
  2: DeadlineExceeded? on hung
  3: "x"
  4: NodeDown on dead
  dead: NodeDown on dead
  hung: DeadlineExceeded? on hung
  Part of the batch failed (nodes that failed: dead, hung), server pool alpha: the other commands were answered; getReplies() has their replies, getFailures() says for each failed node whether its commands may have executed; the first failure: Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha
-- pipeline with split commands
PartialBatch may have executed: true, node: NULL
  0: PartialBatch?
  1: 1
  2: false
  dead: NodeDown on dead
  Part of the batch failed (nodes that failed: dead), server pool alpha: the other commands were answered; getReplies() has their replies, getFailures() says for each failed node whether its commands may have executed; the first failure: Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha
-- MGET
PartialBatch may have executed: true, node: NULL
  0: false
  1: NodeDown on dead
  2: DeadlineExceeded? on hung
  3: false
  dead: NodeDown on dead
  hung: DeadlineExceeded? on hung
  Part of the batch failed (nodes that failed: dead, hung), server pool alpha: the other commands were answered; getReplies() has their replies, getFailures() says for each failed node whether its commands may have executed; the first failure: Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha
-- DEL
PartialBatch may have executed: true, node: NULL
  0: 0
  1: NodeDown on dead
  dead: NodeDown on dead
  Part of the batch failed (nodes that failed: dead), server pool alpha: the other commands were answered; getReplies() has their replies, getFailures() says for each failed node whether its commands may have executed; the first failure: Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha
-- MSET
PartialBatch may have executed: true, node: NULL
  0: true
  1: NodeDown on dead
  dead: NodeDown on dead
  Part of the batch failed (nodes that failed: dead), server pool alpha: the other commands were answered; getReplies() has their replies, getFailures() says for each failed node whether its commands may have executed; the first failure: Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha
value: "set"
-- no reply arrived: of two failures, the one whose command may have executed
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 3000 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 3000 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
-- more nodes failed than a message names
Part of the batch failed (nodes that failed: d%s\xc3\xa9N, d%s\xc3\xa9N, d%s\xc3\xa9N and 2 more)
-- the client still works
value: true
