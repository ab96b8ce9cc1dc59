--TEST--
A node that refuses a connection, or turns it away, gets no command, and the failure says so
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

echo "-- it refuses\n";
$dead = Lab::port();
$config = lab_config([lab_redis(), "127.0.0.1:$dead:1 dead", '127.0.0.1:1:1 other']);
$keys = lab_key_of_each($config);
$redis = new OneHop\Redis('alpha', $config);
lab_tell(fn () => $redis->get($keys['dead']));
lab_tell(fn () => $redis->set($keys['dead'], 1));
lab_tell(fn () => $redis->mget([$keys['dead']]));
unset($keys['dead'], $keys['other']);
echo "other nodes are not affected:\n";
lab_tell(fn () => $redis->set(current($keys), 'fine'));
lab_tell(fn () => $redis->get(current($keys)));

echo "-- a node that is full, or protected\n";
$full = lab_redis('--maxclients', '1');
do {
    usleep(20000);
    $holder = lab_plain($full);
} while (!@$holder->ping());
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$full:1 full"]));
lab_tell(fn () => $redis->get('key'));
lab_tell(fn () => $redis->pipeline()->get('key')->incr('n')->exec());
$holder->close();
Lab::until(static function () use ($redis): bool {
    try {
        return $redis->get('key') === false;
    } catch (OneHop\NodeDown) {
        return false;
    }
}, 'free connection');
lab_tell(fn () => $redis->get('key'));

$script = 'reply("-DENIED Redis is running in protected mode")';
$redis = new OneHop\Redis('alpha', lab_config(['127.0.0.1:' . lab_node($script) . ':1 closed']));
lab_tell(fn () => $redis->get('key'));
?>
--EXPECT--
-- it refuses
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
other nodes are not affected:
value: true
value: "fine"
-- a node that is full, or protected
OneHop\NodeDown, node full, may have executed: false
  The node accepts no more connections: ERR max number of clients reached, node full (127.0.0.1:PORT), server pool alpha: the command was not sent; lower pool_size, or raise maxclients on the node
OneHop\NodeDown, node full, may have executed: false
  The node accepts no more connections: ERR max number of clients reached, node full (127.0.0.1:PORT), server pool alpha: the command was not sent; lower pool_size, or raise maxclients on the node
value: false
OneHop\ConfigInvalid, node closed, may have executed: false
  The node is in protected mode: DENIED Redis is running in protected mode, node closed (127.0.0.1:PORT), server pool alpha: the command was not sent; turn protected mode off, or set a password on the node
