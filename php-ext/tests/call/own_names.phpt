--TEST--
CLIENT SETNAME, GETNAME and SETINFO of a script are about its object, and change no connection
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([$port = lab_redis()]);
[$redis, $other] = [new OneHop\Redis('alpha', $config), new OneHop\Redis('alpha', $config)];
lab_show('before', $redis->client('getname'));
lab_show('set', [$redis->client('SETNAME', 'mine'), $redis->client('getname')]);
lab_show('another object', $other->client('getname'));
lab_show('raw', [
    $redis->rawCommand('CLIENT', 'getname'), $redis->rawCommand('client', 'setname', 'ours'),
    $redis->client('GETNAME'),
]);
lab_show('setinfo', [
    $redis->client('setinfo', 'LIB-NAME', 'framework'), $redis->client('setinfo', 'lib-ver', '1.0'),
]);
lab_show('refused by servers, too', [
    $redis->client('setname', 'not mine'), $redis->client('setname', "mine\n"),
    $redis->client('setinfo', 'lib', 'x'), $redis->client('setinfo', 'lib-ver', '1 0'),
    $redis->client('getname'),
]);
$redis->set('key', 'value');
lab_show('on the node', preg_match(
    '/^onehop:alpha:/',
    array_values(array_filter(array_column(lab_plain($port)->client('list'), 'name')))[0],
));
lab_show('and none', [$redis->client('setname', ''), $redis->client('getname')]);
lab_show('other subcommands', count($redis->client('list')));
lab_tell(fn () => $redis->client('no-evict', 'on'));
lab_tell(fn () => $redis->pipeline()->client('setname', 'x')->exec());
$redis->discard();
?>
--EXPECT--
before: false
set: [true,"mine"]
another object: false
raw: ["mine",true,"ours"]
setinfo: [true,true]
refused by servers, too: [false,false,false,false,"ours"]
on the node: 1
and none: [true,false]
other subcommands: 1
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::client() with CLIENT NO-EVICT is not supported: the command was not sent; it changes one connection, and connections are shared: open a plain connection to the node for it
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::client() with CLIENT SETNAME is not supported: the command was not sent; connections are shared and have names of their own, and the client object keeps this one for itself: call it there, outside of pipelines and transactions
