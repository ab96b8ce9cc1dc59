--TEST--
onEachNode() and onNode() run what the fleet refuses, unless it changes a shared connection
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports);
$redis = new OneHop\Redis('alpha', $config);
$nodes = array_map('lab_plain', $ports);
foreach ($nodes as $i => $node) {
    $node->set('here', "node-$i");
}
$key = lab_key_of_each($config);

echo "-- by name, with phpredis' replies\n";
lab_show('get', $redis->onEachNode('get', 'here'));
$told = array_column($redis->onEachNode('config', 'get', 'port'), 'port');
lab_show('config, the ports', array_map(intval(...), $told) === $ports);
lab_show('ROLE', $redis->onEachNode('ROLE')['node-1'][0]);
lab_show('of one', $redis->onNode('node-2', 'get', 'here'));
lab_show('nothing', $redis->onNode('node-2', 'get', 'nothing'));
lab_show('eval', $redis->onEachNode('eval', 'return 7'));
lab_show('evalSha', $redis->onEachNode('evalSha', sha1('return 7')));
echo "-- what the fleet refuses: other nodes' keys, orders to one server, unknown commands\n";
$others = [$key['node-1'] => 1, $key['node-2'] => 2];
lab_show('mset', $redis->onNode('node-0', 'mset', $others));
lab_show('they are there', $nodes[0]->mget(array_keys($others)));
lab_show('client kill', $redis->onEachNode('client', 'kill', '1.2.3.4:5'));
lab_show('its error', $redis->getLastError());
$redis->clearLastError();
lab_show('CLIENT ID', is_int($redis->onNode('node-1', 'rawCommand', 'CLIENT', 'ID')));
lab_show('NO.SUCH', $redis->onEachNode('rawCommand', 'NO.SUCH', 'x'));
$nodes[1]->rPush('list', 'a');
lab_show('blPop of one', $redis->onNode('node-1', 'blPop', ['list'], 1));
lab_show('blPop', $redis->onEachNode('blPop', ['list'], 1));
lab_show('wait', $redis->onEachNode('wait', 0, 100));
lab_show('SCAN', $redis->onEachNode('rawCommand', 'SCAN', '0')['node-0'][0]);
echo "-- options are those of the object\n";
$redis->setOption(Redis::OPT_PREFIX, 'he');
lab_show('with a prefix', $redis->onEachNode('get', 're'));
$redis->setOption(Redis::OPT_PREFIX, '');

echo "-- refused\n";
foreach ([
    ['select', 1], ['auth', 'x'], ['rawCommand', 'SELECT', '1'],
    ['rawCommand', 'client', 'reply', 'off'], ['rawCommand', 'MULTI'], ['multi'], ['pipeline'],
    ['subscribe', ['c'], 'strlen'], ['watch', 'k'], ['connect', 'h'], ['setOption', 1, 1],
    ['hScan', 'k', null], ['xinfo', 'help'], ['client', 'setname', 'x'],
] as $call) {
    lab_tell(fn () => @$redis->onEachNode(...$call));
}
lab_tell(fn () => $redis->onEachNode('noSuchMethod'));
lab_tell(fn () => $redis->onEachNode('__construct'));
lab_tell(fn () => $redis->onEachNode('onNode', 'node-0', 'get', 'here'));
lab_tell(fn () => $redis->onNode('node-9', 'get', 'here'));
lab_tell(fn () => $redis->onEachNode('rawCommand'));
lab_tell(fn () => $redis->pipeline()->onEachNode('get', 'here'));
$redis->discard();
lab_tell(fn () => $redis->multi()->onNode('node-0', 'get', 'here'));
$redis->discard();

echo "-- a node that is down\n";
$redis = new OneHop\Redis(
    'alpha',
    lab_config([$ports[0], '127.0.0.1:' . Lab::port() . ':1 dead'], [], 'dead.yml'),
);
try {
    $redis->onEachNode('get', 'here');
} catch (OneHop\PartialBatch $e) {
    foreach ($e->getReplies() as $name => $reply) {
        echo "$name: ", $reply instanceof OneHop\Exception ? $reply->getKind() : $reply, "\n";
    }
    echo implode(' ', array_keys($e->getFailures())), "\n";
}
lab_tell(fn () => $redis->onNode('dead', 'get', 'here'));
lab_tell(fn () => $redis->onNode('node-0', 'get', 'here'));
?>
--EXPECT--
-- by name, with phpredis' replies
get: {"node-0":"node-0","node-1":"node-1","node-2":"node-2"}
config, the ports: true
ROLE: "master"
of one: "node-2"
nothing: false
eval: {"node-0":7,"node-1":7,"node-2":7}
evalSha: {"node-0":7,"node-1":7,"node-2":7}
-- what the fleet refuses: other nodes' keys, orders to one server, unknown commands
mset: true
they are there: ["1","2"]
client kill: {"node-0":false,"node-1":false,"node-2":false}
its error: "ERR No such client"
CLIENT ID: true
NO.SUCH: {"node-0":false,"node-1":false,"node-2":false}
blPop of one: ["list","a"]
blPop: {"node-0":[],"node-1":[],"node-2":[]}
wait: {"node-0":0,"node-1":0,"node-2":0}
SCAN: "0"
-- options are those of the object
with a prefix: {"node-0":"node-0","node-1":"node-1","node-2":"node-2"}
-- refused
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::select() is not supported; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::auth() is not supported; connections are made and authenticated by the pool: set `redis_auth` (and `username`) in the server pool's configuration
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with SELECT is not supported: the command was not sent; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with CLIENT REPLY is not supported: the command was not sent; without replies a failed command goes unnoticed, and its connection cannot be shared: use a pipeline
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with MULTI is not supported: the command was not sent; it would change a shared connection; call it on the client itself
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::multi() is not supported: the command was not sent; it is not a command for one node; call it on the client itself
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::pipeline() is not supported: the command was not sent; it is not a command for one node; call it on the client itself
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::subscribe() is not supported: the command was not sent; it is not a command for one node; call it on the client itself
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::watch() is not supported: the command was not sent; it is not a command for one node; call it on the client itself
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::connect() is not supported: the command was not sent; the nodes and their addresses come from the server pool's configuration, connections are made when they are needed: drop the call, `new OneHop\Redis(pool)` is enough
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::setOption() is not supported: the command was not sent; it is not a command for one node; call it on the client itself
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::hscan() is not supported: the command was not sent; it changes its argument; use rawCommand()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::xinfo() is not supported: the command was not sent; phpredis does not read the whole reply of XINFO HELP: the connection would be out of step. Read the documentation instead
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::client() with CLIENT SETNAME is not supported: the command was not sent; connections are shared and have names of their own, and the client object keeps this one for itself: call it there, outside of pipelines and transactions
ValueError: OneHop\Redis::onEachNode(): Argument #1 ($method) must be the name of a method of \Redis
ValueError: OneHop\Redis::onEachNode(): Argument #1 ($method) must be the name of a method of \Redis
ValueError: OneHop\Redis::onEachNode(): Argument #1 ($method) must be the name of a method of \Redis
ValueError: OneHop\Redis::onNode(): Argument #1 ($node) must be the name of a node of server pool alpha; OneHop\Topology::nodes() has them
ValueError: OneHop\Redis::onEachNode(): Argument #1 ($method) must be followed by the words of a command
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::onEachNode() is not supported: the command was not sent; it cannot be used in a transaction or a pipeline; call it before or after
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::onNode() is not supported: the command was not sent; it cannot be used in a transaction or a pipeline; call it before or after
-- a node that is down
dead: NodeDown
node-0: node-0
dead
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
value: "node-0"
