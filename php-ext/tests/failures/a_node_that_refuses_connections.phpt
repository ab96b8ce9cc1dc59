--TEST--
A node that refuses connections is NodeDown, which names the node and says that nothing was sent
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

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
?>
--EXPECT--
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
other nodes are not affected:
value: true
value: "fine"
