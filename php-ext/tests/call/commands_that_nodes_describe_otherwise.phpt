--TEST--
Raw commands that nodes have renamed, do not describe, or describe as older servers do
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

echo "-- renamed: the table's row counts\n";
$renamed = [
    ...['--rename-command', 'HSET', 'put'], ...['--rename-command', 'MGET', 'several'],
    ...['--rename-command', 'BLPOP', 'await'], ...['--rename-command', 'SELECT', 'choose'],
    ...['--rename-command', 'CLIENT', 'customer'],
];
$config = lab_config([lab_redis(...$renamed), lab_redis(...$renamed)]);
[$a, $b] = array_values(lab_key_of_each($config));
$redis = new OneHop\Redis('alpha', $config);
lab_show('HSET', $redis->rawCommand('PUT', $a, 'f', '1'));
lab_show('HGET', $redis->hGet($a, 'f'));
$redis->set("$b:text", 'b');
$redis->set("$a:text", 'a');
lab_show('MGET of two nodes', $redis->rawCommand('several', "$a:text", 'none', "$b:text"));
lab_show('in a pipeline', $redis->pipeline()->rawCommand('several', "$b:text", "$a:text")->exec());
lab_show('BLPOP', $redis->rawCommand('await', $a . ':list', '0.01'));
lab_tell(fn () => $redis->rawCommand('choose', '3'));
lab_tell(fn () => $redis->rawCommand('customer', 'SETNAME', 'me'));
lab_show('CLIENT LIST of two nodes', str_contains($redis->rawCommand('customer', 'LIST'), 'id='));

echo "-- the user has no right to ask for descriptions\n";
$port = lab_redis('--loadmodule', lab_module());
$plain = lab_plain($port);
$plain->rawCommand('ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '+@all', '-command');
$redis = new OneHop\Redis('alpha', lab_config(
    [$port],
    ['username' => 'app', 'redis_auth' => 'secret'],
));
try {
    $redis->rawCommand('onehop.set', 'k', 'v');
} catch (OneHop\Unsupported $e) {
    echo preg_replace('/NOPERM [^:]*/', 'NOPERM ...', $e->getMessage()), "\n";
}
$plain->rawCommand('ACL', 'SETUSER', 'app', '+command');
lab_show('with the right', $redis->rawCommand('onehop.set', 'k', 'v'));

echo "-- the node that is asked first is down\n";
[$ports, $processes] = [[], []];
foreach ([0, 1] as $i) {
    [$ports[$i], $processes[$i]] = lab_redis_process('--loadmodule', lab_module());
}
$config = lab_config($ports);
[$a, $b] = array_values(lab_key_of_each($config));
$redis = new OneHop\Redis('alpha', $config);
Lab::stop($processes[0]);
lab_show('the other one', $redis->rawCommand('onehop.set', $b, 'v'));
lab_tell(fn () => $redis->rawCommand('onehop.set', $a, 'v'));
Lab::stop($processes[1]);
lab_tell(fn () => $redis->rawCommand('onehop.get', $b));
lab_tell(fn () => $redis->pipeline()->rawCommand('onehop.get', $b));

echo "-- a replica answers commands that only read\n";
$master = lab_redis('--loadmodule', lab_module(), '--repl-diskless-sync-delay', '0');
$replica = lab_redis('--replicaof', "127.0.0.1 $master", '--loadmodule', lab_module());
$redis = new OneHop\Redis('alpha', lab_config(
    [$master],
    ['read_from' => 'replica', 'replicas' => "\n   - 127.0.0.1:$replica node-0"],
));
$redis->rawCommand('onehop.set', 'k', 'v');
$plain = lab_plain($master);
$plain->set('later', 'WAIT is for the writes of its connection');
lab_show('replicas that have the writes', $plain->rawCommand('WAIT', 1, 30000));
lab_show('get', $redis->rawCommand('onehop.get', 'k'));
lab_show('in a pipeline', $redis->pipeline()->rawCommand('onehop.get', 'k')->exec());
$line = lab_plain($replica)->info('commandstats')['cmdstat_onehop.get'] ?? '';
lab_show('of the replica', strtok($line, ','));

echo "-- a server before redis 6: no ACL categories\n";
$port = lab_node('
    flags = {"old.get": "+readonly", "old.do": "+fast"}
    for words in commands():
        if words[0] != "COMMAND":
            value(f"connection {number}")
        elif words[2] in flags:
            reply("*1", "*6", "+" + words[2], ":2", "*1", flags[words[2]], ":1", ":1", ":1")
        else:
            reply("*2", ":1", ":2")');
$redis = new OneHop\Redis('alpha', lab_config([$port]));
lab_show('about data', $redis->rawCommand('old.get', 'k'));
lab_show('in a pipeline', $redis->pipeline()->rawCommand('old.get', 'k')->exec());
lab_show('about anything', $redis->rawCommand('old.do', 'k'));
lab_show('then', $redis->get('k'));
lab_tell(fn () => $redis->pipeline()->rawCommand('old.do', 'k'));
$redis->discard();
lab_tell(fn () => $redis->rawCommand('new.do', 'k'));
?>
--EXPECT--
-- renamed: the table's row counts
HSET: true
HGET: "1"
MGET of two nodes: ["a",false,"b"]
in a pipeline: [["b","a"]]
BLPOP: []
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with SELECT is not supported: the command was not sent; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with CLIENT SETNAME is not supported: the command was not sent; connections are shared and have names of their own, and the client object keeps this one for itself: call it there, outside of pipelines and transactions
CLIENT LIST of two nodes: true
-- the user has no right to ask for descriptions
OneHop\Redis::rawcommand(): unknown command "onehop.set", and the node does not describe it: NOPERM ...: the command was not sent; allow the server pool's user to run COMMAND, or send it to nodes of your choice with onNode() or onEachNode()
with the right: true
-- the node that is asked first is down
the other one: true
OneHop\NodeDown, node node-0, may have executed: false
  Connection refused while connecting, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node node-1, may have executed: false
  Connection refused while connecting, node node-1 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node node-1, may have executed: false
  Connection refused while connecting, node node-1 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
-- a replica answers commands that only read
replicas that have the writes: 1
get: "v"
in a pipeline: ["v"]
of the replica: "calls=2"
-- a server before redis 6: no ACL categories
about data: "connection 1"
in a pipeline: ["connection 1"]
about anything: "connection 1"
then: "connection 2"
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with OLD.DO is not supported: the command was not sent; OneHop cannot tell what it does to its connection, which other commands would share; call it outside
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): unknown command "new.do", and the node does not describe it: its answer is not the description of a command: the command was not sent; allow the server pool's user to run COMMAND, or send it to nodes of your choice with onNode() or onEachNode()
