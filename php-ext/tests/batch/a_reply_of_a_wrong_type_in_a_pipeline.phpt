--TEST--
In a pipeline a reply of a wrong type fails its node: no part of it becomes another command's reply
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/* A node that answers by the key: its replies follow "key:" in hex. */
$port = lab_node('
    for words in commands():
        send("+PONG\r\n" if words[0] == "PING" else bytes.fromhex(words[1].split(":")[-1]))');
$good = lab_redis();
$one = lab_config([$port], ['server_failure_limit' => 1000, 'timeout' => 20000]);
$two = lab_config([$port, $good], [
    'server_failure_limit' => 1000, 'timeout' => 20000, 'hash_tag' => '"{}"',
]);
['node-0' => $here, 'node-1' => $there] = lab_key_of_each($two);

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
$replies = [
    'a text' => "\$1\r\na\r\n", 'an error' => "-ERR no\r\n", 'a status' => "+OK\r\n",
    'a list' => "*1\r\n\$1\r\na\r\n", 'a list of lists' => "*1\r\n*2\r\n:1\r\n:2\r\n",
];
foreach (['with the express lane' => 'get', 'without it' => 'type'] as $way => $method) {
    $redis = new OneHop\Redis('alpha', $one);
    echo "-- $way\n";
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
echo "-- beside another node\n";
$redis = new OneHop\Redis('alpha', $two);
foreach (['a list', 'a text'] as $name) {
    $tag = "{{$here}}:" . bin2hex($replies[$name]);
    echo "$name: ", tell(fn () => $redis->pipeline()->set($there, 'kept')->get($tag)->get($there)
        ->exec()), "\n";
}
?>
--EXPECT--
-- with the express lane
a text: ["right","next"]
an error: ["right","next"]
a status: ["right","next"]
a list: ProtocolViolation?
a list of lists: ProtocolViolation?
the next call: right
-- without it
a text: ["right","next"]
an error: ["right","next"]
a status: ["right","next"]
a list: ProtocolViolation?
a list of lists: ProtocolViolation?
the next call: right
-- beside another node
a list: PartialBatch: true, ProtocolViolation, "kept"
a text: [true,"a","kept"]
