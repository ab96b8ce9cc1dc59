--TEST--
The deadline covers a node that takes no connection, never answers, or answers byte by byte
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

echo "-- a node that hangs: the command may have executed\n";
[$port, $id] = lab_redis_process();
$redis = new OneHop\Redis(
    'alpha',
    lab_config(["127.0.0.1:$port:1 hung"], ['timeout' => 2000, 'server_failure_limit' => 1000]),
);
$redis->set('key', 'value');
Lab::signal($id, SIGSTOP);
$time = lab_time(fn () => lab_tell(fn () => $redis->get('key')));
lab_tell(fn () => $redis->incr('n'));
lab_tell(fn () => $redis->pipeline()->get('key')->incr('n')->exec());
lab_tell(fn () => $redis->mget(['key', 'n']));
lab_show('not before the deadline', $time >= 1999);
Lab::signal($id, SIGCONT);
lab_tell(fn () => $redis->get('key'));

echo "-- a node that sends its answer byte by byte\n";
/* The answer takes a minute: much longer than a busy machine needs to notice a deadline. */
$port = lab_node('
    command()
    drip("$600\r\n" + "x" * 600 + "\r\n", 100)');
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 drip"], ['timeout' => 1500]));
$time = lab_time(fn () => lab_tell(fn () => $redis->get('key')));
lab_show('at the deadline', $time >= 1499 && $time < 30000);
$time = lab_time(fn () => lab_tell(fn () => $redis->pipeline()->get('key')->exec()));
lab_show('at the deadline', $time >= 1499 && $time < 30000);

echo "-- a node whose backlog is full: it takes no connection\n";
$server = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
socket_bind($server, '127.0.0.1', 0);
socket_listen($server, 0);
socket_getsockname($server, $host, $port);
$fill = [];
for ($i = 0; $i < 4; $i++) {
    $fill[$i] = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
    socket_set_nonblock($fill[$i]);
    @socket_connect($fill[$i], '127.0.0.1', $port);
}
usleep(20000);
$fine = lab_redis();
/* The batch uses another name for the same node, because the first one rests by then. */
foreach (['full', 'full-too'] as $name) {
    $servers = ["127.0.0.1:$port:1 $name", "127.0.0.1:$fine:1 fine"];
    $config = lab_config($servers, ['timeout' => 3000]);
    $keys[$name] = lab_key_of_each($config);
    $clients[$name] = new OneHop\Redis('alpha', $config);
}
$time = lab_time(fn () => lab_tell(fn () => $clients['full']->set($keys['full']['full'], 1)));
/* The kernel itself tries for two minutes. */
lab_show('at the deadline', $time > 2999 && $time < 60000);
['full-too' => $full, 'fine' => $other] = $keys['full-too'];
try {
    $clients['full-too']->pipeline()->incr($full)->set($other, 1)->exec();
} catch (OneHop\PartialBatch $e) {
    lab_show('the other node', $e->getReplies()[1]);
    $failure = $e->getFailures()['full-too'];
    lab_show('this one', [$failure->getKind(), $failure->mayHaveExecuted()]);
}
?>
--EXPECT--
-- a node that hangs: the command may have executed
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 2000 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 2000 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 2000 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 2000 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
not before the deadline: true
value: "value"
-- a node that sends its answer byte by byte
OneHop\DeadlineExceeded, node drip, may have executed: true
  Only part of the answer arrived within 1500 ms, node drip (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
at the deadline: true
OneHop\DeadlineExceeded, node drip, may have executed: true
  Only part of the answer arrived within 1500 ms, node drip (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
at the deadline: true
-- a node whose backlog is full: it takes no connection
OneHop\DeadlineExceeded, node full, may have executed: false
  No connection within 3000 ms, node full (127.0.0.1:PORT), server pool alpha: the command was not sent; try again
at the deadline: true
the other node: true
this one: ["DeadlineExceeded",false]
