--TEST--
If a full or protected node turns a connection away, that is no answer to the command
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$full = lab_redis('--maxclients', '1');
do {
    usleep(20000);
    $holder = lab_plain($full);
} while (!@$holder->ping());
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$full:1 full"]));
lab_tell(fn () => $redis->get('key'));
lab_tell(fn () => $redis->pipeline()->get('key')->incr('n')->exec());
$holder->close();
usleep(50000);
lab_tell(fn () => $redis->get('key'));

$script = '$node->send("-DENIED Redis is running in protected mode\r\n");';
$redis = new OneHop\Redis('alpha', lab_config(['127.0.0.1:' . lab_node($script) . ':1 closed']));
lab_tell(fn () => $redis->get('key'));
?>
--EXPECT--
OneHop\NodeDown, node full, may have executed: false
  The node accepts no more connections: ERR max number of clients reached, node full (127.0.0.1:PORT), server pool alpha: the command was not sent; lower pool_size, or raise maxclients on the node
OneHop\NodeDown, node full, may have executed: false
  The node accepts no more connections: ERR max number of clients reached, node full (127.0.0.1:PORT), server pool alpha: the command was not sent; lower pool_size, or raise maxclients on the node
value: false
OneHop\ConfigInvalid, node closed, may have executed: false
  The node is in protected mode: DENIED Redis is running in protected mode, node closed (127.0.0.1:PORT), server pool alpha: the command was not sent; turn protected mode off, or set a password on the node
