--TEST--
The deadline covers connecting, too; the other nodes of a batch still answer
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

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
$config = lab_config(
    ["127.0.0.1:$port:1 full", '127.0.0.1:' . lab_redis() . ':1 fine'],
    ['timeout' => 1500],
);
$keys = lab_key_of_each($config);
$redis = new OneHop\Redis('alpha', $config);
$time = lab_time(fn () => lab_tell(fn () => $redis->set($keys['full'], 1)));
var_dump($time > 1499, $time < 60000); /* The kernel itself tries for two minutes. */
/* The same node by another name, because the first one rests now. */
$config = lab_config(
    ["127.0.0.1:$port:1 full-too", '127.0.0.1:' . lab_redis() . ':1 fine'],
    ['timeout' => 1500],
);
$keys = lab_key_of_each($config);
$redis = new OneHop\Redis('alpha', $config);
try {
    $redis->pipeline()->incr($keys['full-too'])->set($keys['fine'], 1)->exec();
} catch (OneHop\PartialBatch $e) {
    var_dump(
        $e->getReplies()[1],
        $e->getFailures()['full-too']->getKind(),
        $e->getFailures()['full-too']->mayHaveExecuted(),
    );
}
?>
--EXPECT--
OneHop\DeadlineExceeded, node full, may have executed: false
  No connection within 1500 ms, node full (127.0.0.1:PORT), server pool alpha: the command was not sent; try again
bool(true)
bool(true)
bool(true)
string(16) "DeadlineExceeded"
bool(false)
