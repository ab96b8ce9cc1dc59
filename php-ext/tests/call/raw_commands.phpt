--TEST--
rawCommand() is routed by the command table; a command that nobody knows is refused
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = ['a' => lab_redis(), 'b' => lab_redis(), 'c' => lab_redis()];
$config = lab_config(
    array_map(fn ($name) => "127.0.0.1:$ports[$name]:1 $name", array_keys($ports)),
    ['hash_tag' => '"{}"'],
);
[$a, $b, $c] = array_values(lab_key_of_each($config, ''));
$redis = new OneHop\Redis('alpha', $config);
$tell = fn (callable $call) => lab_tell(function () use ($call) {
    $value = $call();
    return $value instanceof OneHop\Redis ? 'queued' : $value;
});

echo "One node\n";
$tell(fn () => $redis->rawCommand('set', $a, 1));
$tell(fn () => $redis->rawCommand('INCRBY', $a, 2));
$tell(fn () => $redis->get($a));
$redis->setOption(Redis::OPT_PREFIX, 'prefix:');
$tell(fn () => $redis->rawCommand('GET', $a));
$redis->setOption(Redis::OPT_PREFIX, '');
$tell(fn () => $redis->rawCommand('rename', "{{$a}}", "{{$a}}2"));
$tell(fn () => $redis->getLastError());
$tell(fn () => $redis->rawCommand('EVAL', 'return KEYS[1] .. ARGV[1]', 1, $b, 'x') === $b . 'x');

echo "Several nodes\n";
$tell(fn () => $redis->rawCommand('MSET', $a, '1', $b, '2', $c, '3'));
$tell(fn () => implode(' ', $redis->rawCommand('MGET', $c, 'nothing', $a, $b, $c)));
$tell(fn () => $redis->rawCommand('EXISTS', $a, $b, $c, $a));
$tell(fn () => array_map(
    fn ($reply) => is_array($reply) ? implode(' ', $reply) : $reply,
    $redis->pipeline()->rawCommand('MGET', $c, $a)->rawCommand('GET', $b)
        ->rawCommand('DEL', $a, $b, 'nothing')->exec(),
));
$tell(fn () => $redis->rawCommand('MSET', $a, '1', $b));
$tell(fn () => $redis->rawCommand('SELECT', '0'));

echo "Nowhere\n";
$hide = fn (callable $call) => $tell(function () use ($call, $a, $b) {
    try {
        return $call();
    } catch (OneHop\CrossNode $e) {
        return str_replace(
            ["\"$a", "\"$b", "{{$a}}$b", "{{$a}}"],
            ['"A', '"B', '{A}B', '{A}'],
            $e->getMessage(),
        );
    }
});
$hide(fn () => $redis->rawCommand('RENAME', $a, $b));
$hide(fn () => $redis->rawCommand('SORT', $a, 'BY', 'w_*'));
$hide(fn () => $redis->rawCommand('SORT', $a, 'STORE', $b));
foreach ([
    ['NO.SUCH', $a], ['CLIENT', 'NOSUCH'], ['SELECT', 'one'], ['MULTI'], ['WATCH', $a],
    ['SUBSCRIBE', 'c'], ['SCAN', '0'], ['EVAL', 'return 1', '0'], ['EVAL', 'return 1', '2', $a],
    ['GET'], ['CLIENT', 'REPLY', 'OFF'], [''],
] as $words) {
    $tell(fn () => $redis->rawCommand(...$words));
}
foreach ([ /* Names that begin like a command of the table. */
    "CLIENT\0", "GET\0", "GET\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    "client\0|list", "\0",
] as $name) {
    $tell(fn () => $redis->rawCommand($name, 'LIST', 'k'));
}
$tell(fn () => $redis->rawCommand('GET', []));
$tell(fn () => $redis->rawCommand());
$tell(fn () => $redis->rawCommand('GET', $c));
?>
--EXPECT--
One node
value: true
value: 3
value: "3"
value: "3"
value: false
value: "ERR no such key"
value: true
Several nodes
value: true
value: "3  1 2 3"
value: 4
value: ["3 1","2",2]
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with MSET is not supported: the command was not sent; it is malformed: each key needs its value (or id); one is missing
value: true
Nowhere
value: "RENAME needs all its keys on one node: key \"A\" is on node a, key \"B\" on node b, server pool alpha: the command was not sent; give both keys the same hash tag, such as \"{A}\" and \"{A}B\""
value: "SORT reads keys made from the pattern \"w_*\", which may live on any node, server pool alpha: the command was not sent; put the sorted key's hash tag before the *, and set hash_tag: \"{}\" in the server pool"
value: "SORT needs all its keys on one node: key \"A\" is on node a, key \"B\" on node b, server pool alpha: the command was not sent; give both keys the same hash tag, such as \"{A}\" and \"{A}B\""
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): neither OneHop nor the node knows the command "NO.SUCH": the command was not sent; check its name, and that every node has loaded its module
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): neither OneHop nor the node knows the command "CLIENT NOSUCH": the command was not sent; check its name, and that every node has loaded its module
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with SELECT is not supported: the command was not sent; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with MULTI is not supported: the command was not sent; rawCommand() cannot track what this command starts; use multi(), watch(), subscribe() or scan()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with WATCH is not supported: the command was not sent; rawCommand() cannot track what this command starts; use multi(), watch(), subscribe() or scan()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with SUBSCRIBE is not supported: the command was not sent; rawCommand() cannot track what this command starts; use multi(), watch(), subscribe() or scan()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with SCAN is not supported: the command was not sent; rawCommand() cannot track what this command starts; use multi(), watch(), subscribe() or scan()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with EVAL is not supported: the command was not sent; a script or function without keys cannot be placed: pass the keys it uses (or one name with their hash tag), or run it on each node with onEachNode
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with EVAL is not supported: the command was not sent; it is malformed: it has fewer arguments than its keys need
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with GET is not supported: the command was not sent; it is malformed: it has fewer arguments than its keys need
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with CLIENT REPLY is not supported: the command was not sent; without replies a failed command goes unnoticed, and its connection cannot be shared: use a pipeline
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand(): unknown command "": the command was not sent; send it to nodes of your choice with onNode() or onEachNode(), because OneHop cannot tell which argument is the key
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
TypeError: OneHop\Redis::rawcommand(): Argument #2 must be a key of type string, array given; nothing was sent
ArgumentCountError: OneHop\Redis::rawcommand() expects at least 1 argument, 0 given
value: "3"
