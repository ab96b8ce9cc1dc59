--TEST--
A command that the table does not hold is described by a node, once for the host
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$options = ['--loadmodule', lab_module(), '--enable-module-command', 'yes'];
$ports = array_map(fn () => lab_redis(...$options), ['a' => 0, 'b' => 1, 'c' => 2]);
$plain = array_map(lab_plain(...), $ports);
$config = lab_config(
    array_map(fn ($name) => "127.0.0.1:$ports[$name]:1 $name", array_keys($ports)),
    ['hash_tag' => '"{}"', 'pool_size' => 1],
);
['a' => $a, 'b' => $b, 'c' => $c] = lab_key_of_each($config, '');
$redis = new OneHop\Redis('alpha', $config);

/* How often the nodes were asked since the last time, for descriptions and for keys. */
$asked = function () use ($plain): string {
    static $before = ['info' => 0, 'getkeys' => 0];
    $told = [];
    foreach ($before as $what => $last) {
        $calls = 0;
        foreach ($plain as $node) {
            $line = $node->info('commandstats')["cmdstat_command|$what"] ?? 'calls=0';
            $calls += (int) substr($line, strlen('calls='));
        }
        $told[] = "$what " . $calls - $last;
        $before[$what] = $calls;
    }
    return implode(', ', $told);
};
$values = fn () => array_map($redis->get(...), [$a, $b, $c]);
$redis->flushAll();
$accepted = fn () => array_sum(array_map(lab_accepted(...), $plain));
$before = $accepted();

echo "-- one key\n";
lab_show('set', $redis->rawCommand('onehop.set', $a, 'A'));
lab_show('asked', $asked());
$redis->rawCommand('ONEHOP.SET', $b, 'B');
$redis->rawCommand('Onehop.Set', $c, 'C');
lab_show('get', array_map(fn ($key) => $redis->rawCommand('onehop.get', $key), [$a, $b, $c]));
lab_show('values where they belong', $values());
lab_show('asked', $asked());

echo "-- in a pipeline, in a transaction\n";
lab_show('pipeline', $redis->pipeline()->rawCommand('onehop.set', $a, '1')->set($b, '2')
    ->rawCommand('onehop.get', $a)->rawCommand('onehop.get', $b)
    ->rawCommand('onehop.count', '1', $c)->exec());
lab_show('transaction', $redis->multi()->rawCommand('onehop.set', $c, '3')
    ->rawCommand('onehop.box', 'put', $c, '4')->get($c)->exec());
lab_show('asked', $asked());

echo "-- keys that only the node finds\n";
lab_show('last', $redis->rawCommand('onehop.last', 'X', $b));
lab_show('in a pipeline', $redis->pipeline()->rawCommand('onehop.last', 'Y', $c)->exec());
lab_show('values', $values());
lab_show('asked', $asked());
try {
    $redis->rawCommand('onehop.last');
} catch (OneHop\Unsupported $e) {
    echo preg_replace('/ERR [^:]*/', 'ERR ...', $e->getMessage()), "\n";
}

echo "-- several keys\n";
lab_show('count', $redis->rawCommand('onehop.count', 2, $a, $a));
try {
    $redis->rawCommand('onehop.count', '2', $a, $b);
} catch (OneHop\CrossNode $e) {
    echo strtok($e->getMessage(), ':'), "\n";
}
lab_tell(fn () => $redis->rawCommand('onehop.count', 'x', $a));
lab_tell(fn () => $redis->rawCommand('onehop.get'));

echo "-- all nodes\n";
lab_show('size', $redis->rawCommand('onehop.size'));
lab_show('size in a pipeline', $redis->pipeline()->rawCommand('onehop.size')->exec());
$asked();

echo "-- refused\n";
foreach ([
    'onehop.plain', 'onehop.wait k', 'onehop.listen c', 'onehop.box', 'onehop.box take k',
    'no.such k', 'client nosuch', 'xgroup', 'ft.search i *',
] as $words) {
    lab_tell(fn () => $redis->rawCommand(...explode(' ', $words)));
}
lab_show('asked', $asked());
lab_tell(fn () => $redis->multi()->rawCommand('no.such', $a));
lab_tell(fn () => $redis->exec());
lab_show('asked', $asked());
lab_show('connections more', $accepted() - $before);

echo "-- another process of the host\n";
if (($child = pcntl_fork()) === 0) {
    lab_show('get', (new OneHop\Redis('alpha', $config))->rawCommand('onehop.get', $c));
    exit;
}
pcntl_waitpid($child, $status);
lab_show('asked', $asked());

echo "-- a module that is unloaded\n";
array_map(fn ($node) => $node->rawCommand('MODULE', 'UNLOAD', 'onehop'), $plain);
lab_show('get', $redis->rawCommand('onehop.get', $a));
lab_show('error', strtok($redis->getLastError(), ','));
lab_tell(fn () => $redis->rawCommand('onehop.get', $a));
?>
--EXPECT--
-- one key
set: true
asked: "info 1, getkeys 0"
get: ["A","B","C"]
values where they belong: ["A","B","C"]
asked: "info 1, getkeys 0"
-- in a pipeline, in a transaction
pipeline: [true,true,"1","2",1]
transaction: [true,true,"4"]
asked: "info 2, getkeys 0"
-- keys that only the node finds
last: true
in a pipeline: [true]
values: ["1","X","Y"]
asked: "info 1, getkeys 2"
OneHop\Redis::rawcommand(): the node cannot find the keys of "onehop.last": ERR ...: the command was not sent; check its arguments, or send it to nodes of your choice with onNode() or onEachNode()
-- several keys
count: 2
ONEHOP.COUNT needs all its keys on one node
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with ONEHOP.COUNT is not supported: the command was not sent; it is malformed: its key count is not a number
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with ONEHOP.GET is not supported: the command was not sent; it is malformed: it has fewer arguments than its keys need
-- all nodes
size: 3
size in a pipeline: [3]
-- refused
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with ONEHOP.PLAIN is not supported: the command was not sent; according to the node, it has no key, so OneHop cannot tell which nodes to use; send it with onNode() or onEachNode()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with ONEHOP.WAIT is not supported: the command was not sent; according to the node, it may block, and OneHop cannot tell for how long; send it with onNode() or onEachNode()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with ONEHOP.LISTEN is not supported: the command was not sent; according to the node, it changes its connection, and connections are shared; send it with onNode() or onEachNode()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with ONEHOP.BOX is not supported: the command was not sent; according to the node, it has no key, so OneHop cannot tell which nodes to use; send it with onNode() or onEachNode()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): neither OneHop nor the node knows the command "onehop.box take": the command was not sent; check its name, and that every node has loaded its module
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): neither OneHop nor the node knows the command "no.such": the command was not sent; check its name, and that every node has loaded its module
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): neither OneHop nor the node knows the command "client nosuch": the command was not sent; check its name, and that every node has loaded its module
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): unknown command "xgroup": the command was not sent; send it to nodes of your choice with onNode() or onEachNode(), because OneHop cannot tell which argument is the key
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with FT.SEARCH is not supported: the command was not sent; an index name is not a key, and every node has its own indexes; send it to each node with onEachNode
asked: "info 6, getkeys 0"
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): neither OneHop nor the node knows the command "no.such": the command was not sent; check its name, and that every node has loaded its module
OneHop\Unsupported, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: OneHop\Redis::rawcommand(): neither OneHop nor the node knows the command "no.such", server pool alpha: the command was not sent; check its name, and that every node has loaded its module
asked: "info 0, getkeys 0"
connections more: 0
-- another process of the host
get: "Y"
asked: "info 0, getkeys 0"
-- a module that is unloaded
get: false
error: "ERR unknown command 'onehop.get'"
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): neither OneHop nor the node knows the command "onehop.get": the command was not sent; check its name, and that every node has loaded its module
