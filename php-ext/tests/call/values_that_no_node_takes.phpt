--TEST--
A value above 512 MiB and a name with a NUL are refused with the true reason
--DESCRIPTION--
Not beneath valgrind: it sends a value of 512 MiB.
--INI--
memory_limit=-1
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_redis();
$file = lab_config([$port], ['timeout' => 60000]);
$redis = new OneHop\Redis('alpha', $file);
$redis->set('k', 'before');

echo '-- larger than any node takes: nothing is sent, the connection closes, ',
    "the node does not rest\n";
$value = str_repeat('x', (512 << 20) + 1);
lab_tell(fn () => $redis->set('k', $value));
lab_tell(fn () => $redis->pipeline()->get('k')->set('k', $value)->exec());
lab_tell(fn () => $redis->get($value));
unset($value);
var_dump($redis->get('k'));

echo "-- names that begin like a command of the table\n";
foreach ([
    "CLIENT\0", "GET\0", "GET\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    "client\0|list", "\0",
] as $name) {
    lab_tell(fn () => $redis->rawCommand($name, 'LIST', 'k'));
}
?>
--EXPECT--
-- larger than any node takes: nothing is sent, the connection closes, the node does not rest
OneHop\Unsupported, node node-0, may have executed: false
  A key or value is larger than 512 MiB, the most a node takes, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; split it
OneHop\Unsupported, node node-0, may have executed: false
  A key or value is larger than 512 MiB, the most a node takes, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; split it
OneHop\Unsupported, node node-0, may have executed: false
  A key or value is larger than 512 MiB, the most a node takes, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; split it
string(6) "before"
-- names that begin like a command of the table
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): unknown command "CLIENT\x00": the command was not sent; send it to nodes of your choice with onNode() or onEachNode(), because OneHop cannot tell which argument is the key
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): unknown command "GET\x00": the command was not sent; send it to nodes of your choice with onNode() or onEachNode(), because OneHop cannot tell which argument is the key
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): unknown command "GET\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00": the command was not sent; send it to nodes of your choice with onNode() or onEachNode(), because OneHop cannot tell which argument is the key
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): unknown command "client\x00|list": the command was not sent; send it to nodes of your choice with onNode() or onEachNode(), because OneHop cannot tell which argument is the key
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): unknown command "\x00": the command was not sent; send it to nodes of your choice with onNode() or onEachNode(), because OneHop cannot tell which argument is the key
