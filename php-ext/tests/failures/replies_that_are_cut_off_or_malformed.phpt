--TEST--
No part of a reply that is cut off, malformed or of a wrong type becomes a reply to any call
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

function key_of(string $reply): string
{
    return 'key:' . bin2hex($reply);
}
function tell(callable $call): string
{
    try {
        return json_encode($call());
    } catch (OneHop\PartialBatch $e) {
        return 'PartialBatch: ' . implode(', ', array_map(
            fn ($reply) => is_object($reply) ? $reply->getKind() : json_encode($reply),
            $e->getReplies(),
        ));
    } catch (OneHop\Exception $e) {
        return $e->getKind() . ($e->mayHaveExecuted() ? '?' : '');
    }
}

echo "-- the connection ends in the middle\n";
$reply = "*2\r\n$5\r\nhello\r\n$2\r\n12\r\n";
$port = lab_node('
    size = int(command()[1])
    send(test.reply[:size])
    if size % 2:
        reset()', ['reply' => $reply]);
$redis = new OneHop\Redis(
    'alpha',
    lab_config(["127.0.0.1:$port:1 odd"], ['server_failure_limit' => 1000]),
);
$seen = [];
for ($i = 0; $i < strlen($reply); $i++) {
    try {
        $seen[] = json_encode($redis->lRange("$i", 0, -1));
    } catch (OneHop\Exception $e) {
        $seen[] = $e->getKind() . ' ' . var_export($e->mayHaveExecuted(), true);
    }
}
lab_show('calls', array_count_values($seen));
lab_tell(fn () => $redis->lRange(strlen($reply) + 1 & ~1, 0, -1));

echo "-- bytes that are not a reply, quickly and without large allocations\n";
$streams = [
    "hello\r\n", "$-2\r\n", "$3\r\nabcXX", "$3\nabc\r\n", "*-5\r\n", "$99999999999999999999\r\n",
    "$2147483647\r\n", "*2147483647\r\n", str_repeat("*1\r\n", 200000), "\0\0\0\0",
    '+' . str_repeat('x', 200000), "HTTP/1.1 400 Bad Request\r\n\r\n",
];
foreach ($streams as $stream) {
    $port = lab_node('command(); send(test.stream); time.sleep(1)', ['stream' => $stream]);
    $redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 odd"]));
    $name = substr(addcslashes($stream, "\0..\37"), 0, 20);
    try {
        lab_show($name, $redis->get('key'));
    } catch (OneHop\Exception $e) {
        lab_show($name, [$e->getKind(), $e->mayHaveExecuted()]);
    }
}

echo "-- a reply of an unexpected type, or large and cut short: nothing is left behind\n";
/* The key chooses the answer. For all other keys the answer is a value that names the key. */
$script = '
    answers = {
        "simple": ("+simple",),
        "number": (":12",),
        "list": ("*2", "$1", "a", "$1", "b"),
        "nested": ("*1", "*2", ":1", "$-1"),
        "null list": ("*-1",),
        "resp3": ("%1", "+a", ":1"),
        "long error": ("-ERR " + "e" * 20000,),
    }
    for words in commands():
        if words[1] == "cut":
            send("$3000000\r\n", "x" * 1000000)
            close()
        elif words[1] in answers:
            reply(*answers[words[1]])
        else:
            value("value of " + words[1])';
$port = lab_node($script);
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 odd"]));
$keys = ['simple', 'number', 'list', 'nested', 'null list', 'resp3', 'long error', 'cut'];
foreach ($keys as $key) {
    foreach (['get', 'hGetAll', 'incr', 'sMembers', 'type', 'xRange'] as $method) {
        try {
            @$redis->$method($key, ...($method === 'xRange' ? ['-', '+'] : []));
        } catch (RedisException) {
        }
        if (($value = $redis->get("after $method of $key")) !== "value of after $method of $key") {
            lab_show("$method of $key", $value);
        }
        try {
            @$redis->pipeline()->get('x')
                ->$method($key, ...($method === 'xRange' ? ['-', '+'] : []))->get('y')->exec();
        } catch (RedisException) {
        }
        $after = "after a batch with $method of $key";
        if (($value = $redis->get($after)) !== "value of $after") {
            lab_show("batch with $method of $key", $value);
        }
    }
}
lab_tell(fn () => $redis->get('cut'));
lab_tell(fn () => $redis->get('end'));

/* A node that answers by the key: its replies follow "key:" in hex. */
$port = lab_node('
    for words in commands():
        send("+PONG\r\n" if words[0] == "PING" else bytes.fromhex(words[1].split(":")[-1]))');
$good = lab_redis();
$one = lab_config([$port], ['server_failure_limit' => 1000]);
$two = lab_config([$port, $good], [
    'server_failure_limit' => 1000, 'hash_tag' => '"{}"',
]);
['node-0' => $here, 'node-1' => $there] = lab_key_of_each($two);

$replies = [
    'a text' => "\$1\r\na\r\n", 'an error' => "-ERR no\r\n", 'a status' => "+OK\r\n",
    'a list' => "*1\r\n\$1\r\na\r\n", 'a list of lists' => "*1\r\n*2\r\n:1\r\n:2\r\n",
];
foreach (['with the express lane' => 'get', 'without it' => 'type'] as $way => $method) {
    $redis = new OneHop\Redis('alpha', $one);
    echo "-- a reply of a wrong type in a pipeline, $way\n";
    foreach ($replies as $name => $reply) {
        echo "$name: ", tell(function () use ($redis, $method, $reply) {
            $values = $redis->pipeline()->get(key_of("\$5\r\nright\r\n"))->$method(key_of($reply))
                ->get(key_of("\$4\r\nnext\r\n"))->exec();
            return [$values[0], $values[2]];
        }), "\n";
    }
    $after = $redis->get(key_of("\$5\r\nright\r\n"));
    echo "the next call: $after\n";
}
echo "-- a reply of a wrong type beside another node\n";
$redis = new OneHop\Redis('alpha', $two);
foreach (['a list', 'a text'] as $name) {
    $tag = "{{$here}}:" . bin2hex($replies[$name]);
    echo "$name: ", tell(fn () => $redis->pipeline()->set($there, 'kept')->get($tag)->get($there)
        ->exec()), "\n";
}
?>
--EXPECT--
-- the connection ends in the middle
calls: {"NodeDown true":23}
value: ["hello","12"]
-- bytes that are not a reply, quickly and without large allocations
hello\r\n: ["ProtocolViolation",true]
$-2\r\n: ["ProtocolViolation",true]
$3\r\nabcXX: ["ProtocolViolation",true]
$3\nabc\r\n: ["ProtocolViolation",true]
*-5\r\n: ["ProtocolViolation",true]
$9999999999999999999: ["ProtocolViolation",true]
$2147483647\r\n: ["ProtocolViolation",true]
*2147483647\r\n: ["ProtocolViolation",true]
*1\r\n*1\r\n*1\r\n*1: ["ProtocolViolation",true]
\000\000\000\000: ["ProtocolViolation",true]
+xxxxxxxxxxxxxxxxxxx: ["ProtocolViolation",true]
HTTP/1.1 400 Bad Req: ["ProtocolViolation",true]
-- a reply of an unexpected type, or large and cut short: nothing is left behind
OneHop\NodeDown, node odd, may have executed: true
  Connection closed by the node, node odd (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
value: "value of end"
-- a reply of a wrong type in a pipeline, with the express lane
a text: ["right","next"]
an error: ["right","next"]
a status: ["right","next"]
a list: ProtocolViolation?
a list of lists: ProtocolViolation?
the next call: right
-- a reply of a wrong type in a pipeline, without it
a text: ["right","next"]
an error: ["right","next"]
a status: ["right","next"]
a list: ProtocolViolation?
a list of lists: ProtocolViolation?
the next call: right
-- a reply of a wrong type beside another node
a list: PartialBatch: true, ProtocolViolation, "kept"
a text: [true,"a","kept"]
