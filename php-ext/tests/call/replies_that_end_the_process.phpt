--TEST--
Well-formed replies that phpredis does not survive are refused before it reads them
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/* A node that answers HMGET, XCLAIM and MGET as the test says, alone and in EXEC's list. */
$port = lab_node('
    queued = None
    for words in commands():
        answer = bulk("ok") if words[0] in ("GET", "PING") else test.answer
        if words[0] == "MULTI":
            queued = []
            reply("+OK")
        elif words[0] == "EXEC":
            send(f"*{len(queued)}\r\n", *queued)
            queued = None
        elif queued is not None:
            queued.append(answer)
            reply("+QUEUED")
        else:
            send(answer)');
$other = lab_node('
    for words in commands():
        send(listed("v" for key in words[1:]))');
$config = lab_config(
    [$port, $other],
    ['server_failure_limit' => 1000, 'hash_tag' => '"{}"'],
);
['node-0' => $key, 'node-1' => $there] = lab_key_of_each($config);
$redis = new OneHop\Redis('alpha', $config);

function answer(string ...$elements): string
{
    return '*' . count($elements) . "\r\n" . implode('', $elements);
}
function text(string $text): string
{
    return '$' . strlen($text) . "\r\n$text\r\n";
}
$entry = answer(text('1-0'), answer(text('f'), text('v')));
$hMget = fn ($redis) => $redis->hMget($key, ['a', 'b']);
$scores = fn ($redis) => $redis->zRange($key, 0, -1, true);
$range = fn ($redis) => $redis->xRange($key, '-', '+');
$read = fn ($redis) => $redis->xRead([$key => '0']);
$xClaim = fn ($redis) => $redis->xClaim($key, 'g', 'c', 0, ['1-0'], []);
$cases = [
    'hMget, as it was asked' => [$hMget, answer(text('1'), text('2'))],
    'hMget, an error' => [$hMget, "-ERR no\r\n"],
    'hMget, 3' => [$hMget, answer(text('1'), text('2'), text('3'))],
    'hMget, 5000' => [$hMget, answer(...array_fill(0, 5000, text('long text')))],
    'hMget, 1' => [$hMget, answer(text('1'))],
    'hMget, a nil list' => [$hMget, "*-1\r\n"],
    'xClaim, IDs' => [$xClaim, answer(text('1-0'), text('2-0'))],
    'xClaim, entries' => [$xClaim, answer($entry, $entry)],
    'xClaim, an entry after an ID' => [$xClaim, answer(text('1-0'), $entry)],
    'xClaim, half an entry' => [$xClaim, answer($entry, answer(text('2-0')))],
    'xClaim, a nil list' => [$xClaim, answer($entry, "*-1\r\n")],
    'hGetAll, a nil name' => [
        fn ($redis) => $redis->hGetAll($key),
        answer(text('a'), text('1'), "\$-1\r\n", text('2')),
    ],
    'zRange, scores' => [$scores, answer(text('a'), text('1'))],
    'zRange, a nil score' => [$scores, answer(text('a'), text('1'), text('b'), "\$-1\r\n")],
    'xRange, entries' => [$range, answer($entry, answer(text('2-0'), "*-1\r\n"))],
    'xRange, half an entry' => [$range, answer($entry, answer(text('2-0')))],
    'xRange, a list in an entry' => [
        $range,
        answer(answer(text('1-0'), answer(answer(text('f')), text('v'))), $entry),
    ],
    'xRead, a stream' => [$read, answer(answer(text('s'), answer($entry)))],
    'xRead, half an entry' => [$read, answer(answer(text('s'), answer($entry, answer(text('2')))))],
    'mGet over two nodes, 1' => [
        fn ($redis) => $redis->mGet([$key, $there, "{{$key}}b"]),
        answer(text('v')),
    ],
];
$modes = [
    'alone' => fn ($call) => $call($redis),
    'in a pipeline' => function ($call) use ($redis, $key) {
        $call($redis->pipeline()->get($key));
        return $redis->get($key)->exec();
    },
    'behind an error' => function ($call) use ($redis, $key) {
        $call($redis->pipeline()->rawCommand('GET', $key));
        return $redis->exec();
    },
    'in a transaction' => function ($call) use ($redis, $key) {
        $call($redis->multi()->get($key)->get($key));
        return $redis->get($key)->exec();
    },
    'in a transaction in a pipeline' => function ($call) use ($redis, $key) {
        $call($redis->pipeline()->get($key)->multi()->get($key));
        return $redis->exec()->get($key)->exec();
    },
    'on a chosen node' => fn ($call) => $call(new class ($redis) {
        public function __construct(private OneHop\Redis $redis)
        {
        }
        public function __call(string $name, array $arguments): mixed
        {
            return $this->redis->onNode('node-0', $name, ...$arguments);
        }
    }),
];
foreach ([Redis::SERIALIZER_NONE, Redis::SERIALIZER_JSON] as $serializer) {
    echo $serializer ? "-- without the express lane\n" : "-- with the express lane\n";
    $redis->setOption(Redis::OPT_SERIALIZER, $serializer);
    foreach ($cases as $name => [$call, $answer]) {
        lab_change($port, answer: $answer);
        $told = [];
        foreach ($modes as $mode => $make) {
            if (str_contains($name, 'two nodes') && str_contains("$mode ", 'transaction')) {
                continue;
            }
            try {
                $make($call);
                $told[$mode] = 'served';
            } catch (OneHop\PartialBatch $e) {
                /* If no node has failed, the exception is the reply of the command. */
                $failures = $e->getFailures() ?: array_filter($e->getReplies(), is_object(...));
                $told[$mode] = implode(', ', array_map(fn ($e) => $e->getKind(), $failures));
            } catch (OneHop\Exception $e) {
                $told[$mode] = $e->getKind();
                $redis->discard();
            }
        }
        $same = array_unique($told);
        echo "$name: ", count($same) === 1 ? current($same) : json_encode($told), "\n";
    }
}

echo "-- a reply that ends in the middle of a list\n";
$cut = lab_node('
    for words in commands():
        if words[0] != "PING":
            send("*2\r\n$3\r\nabc\r\n$3000\r\n", "x" * 2000)
            close()
        reply("+PONG")');
$config = lab_config([$cut], ['server_failure_limit' => 1000]);
$redis = new OneHop\Redis('alpha', $config);
$calls = ['lRange' => ['k', 0, -1], 'hGetAll' => ['k'], 'hMget' => ['k', ['a', 'b']]];
foreach ($calls as $method => $with) {
    for ($i = 0; $i < 5; $i++) {
        try {
            $redis->$method(...$with);
        } catch (OneHop\NodeDown) {
            $failed[] = $method;
        }
    }
}
echo implode(' ', $failed), "\n";
?>
--EXPECT--
-- with the express lane
hMget, as it was asked: served
hMget, an error: served
hMget, 3: ProtocolViolation
hMget, 5000: ProtocolViolation
hMget, 1: ProtocolViolation
hMget, a nil list: ProtocolViolation
xClaim, IDs: served
xClaim, entries: served
xClaim, an entry after an ID: ProtocolViolation
xClaim, half an entry: ProtocolViolation
xClaim, a nil list: ProtocolViolation
hGetAll, a nil name: ProtocolViolation
zRange, scores: served
zRange, a nil score: ProtocolViolation
xRange, entries: served
xRange, half an entry: ProtocolViolation
xRange, a list in an entry: ProtocolViolation
xRead, a stream: served
xRead, half an entry: ProtocolViolation
mGet over two nodes, 1: {"alone":"ProtocolViolation","in a pipeline":"ProtocolViolation","behind an error":"ProtocolViolation","on a chosen node":"served"}
-- without the express lane
hMget, as it was asked: served
hMget, an error: served
hMget, 3: ProtocolViolation
hMget, 5000: ProtocolViolation
hMget, 1: ProtocolViolation
hMget, a nil list: ProtocolViolation
xClaim, IDs: served
xClaim, entries: served
xClaim, an entry after an ID: ProtocolViolation
xClaim, half an entry: ProtocolViolation
xClaim, a nil list: ProtocolViolation
hGetAll, a nil name: ProtocolViolation
zRange, scores: served
zRange, a nil score: ProtocolViolation
xRange, entries: served
xRange, half an entry: ProtocolViolation
xRange, a list in an entry: ProtocolViolation
xRead, a stream: served
xRead, half an entry: ProtocolViolation
mGet over two nodes, 1: {"alone":"ProtocolViolation","in a pipeline":"ProtocolViolation","behind an error":"ProtocolViolation","on a chosen node":"served"}
-- a reply that ends in the middle of a list
lRange lRange lRange lRange lRange hGetAll hGetAll hGetAll hGetAll hGetAll hMget hMget hMget hMget hMget
