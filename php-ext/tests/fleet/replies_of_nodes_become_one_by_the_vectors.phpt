--TEST--
Replies of several nodes are merged by the command's rule, as the vectors of spec/route say
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/** A reply of the vectors, in bytes. */
function encode(mixed $reply): string
{
    return match (true) {
        is_int($reply) => ":$reply\r\n",
        $reply === null => "\$-1\r\n",
        $reply === 'OK' => "+OK\r\n",
        is_string($reply) => '$' . strlen($reply) . "\r\n$reply\r\n",
        array_is_list($reply) => '*' . count($reply) . "\r\n"
            . implode('', array_map('encode', $reply)),
        default => '-' . $reply['error'] . " of the script\r\n",
    };
}

/** The same reply as phpredis' rawCommand() returns it to a script. */
function value(mixed $reply): mixed
{
    return match (true) {
        $reply === null => false,
        $reply === 'OK' => true,
        is_array($reply) => array_map('value', $reply),
        default => $reply,
    };
}

$words = [
    'sum' => 'DBSIZE', 'min' => 'LASTSAVE', 'max' => 'PUBSUB NUMPAT', 'and' => 'SCRIPT EXISTS x y',
    'all_ok' => 'FLUSHALL', 'one_ok' => 'FUNCTION KILL', 'equal' => 'CONFIG GET x',
    'concat' => 'KEYS *', 'union' => 'PUBSUB CHANNELS', 'first_not_nil' => 'RANDOMKEY',
    'per_node' => 'ROLE', 'info' => 'INFO',
];
$page = json_decode(file_get_contents(__DIR__ . '/../../../spec/route/vectors/merge.json'), true);
$tests = array_merge(...array_column($page['testGroups'], 'tests'));
$wrong = 0;
foreach ($tests as $test) {
    $servers = [];
    foreach ($test['replies'] as $i => $reply) {
        $port = lab_node('
            for words in commands():
                send(":0\r\n" if words[0] == "PUBLISH" else test.reply)
        ', ['reply' => encode($reply)]);
        $servers[] = "127.0.0.1:$port:1 " . ($test['nodes'][$i] ?? "n$i");
    }
    $config = lab_config($servers);
    $keys = [];
    $topology = new OneHop\Topology('alpha', $config);
    for ($i = 0; count($keys) < count($servers) || min(array_map('count', $keys)) < 4; $i++) {
        $keys[$topology->locate("key-$i")->index][] = "key-$i";
    }
    if ($test['merge'] === 'in_order') {
        /* Keys on the nodes that the vector names. */
        $named = [];
        foreach ($test['places'] as $node => $places) {
            foreach ($places as $place) {
                $named[$place] = $keys[$node][$place];
            }
        }
        ksort($named);
        $call = [...isset($test['width']) ? ['PUBSUB', 'NUMSUB'] : ['MGET'], ...$named];
    } elseif ($test['merge'] === 'streams') {
        /* Streams: names on the vector's nodes replace the vector's own names in the replies. */
        $names = [];
        foreach ($test['order'] as $place => $name) {
            $node = array_key_first(array_filter(
                $test['replies'],
                fn ($reply) => in_array($name, array_column($reply ?? [], 0), true),
            )) ?? $place % count($servers);
            $names[$name] = $keys[$node][$place];
        }
        foreach ($test['replies'] as $i => $reply) {
            $bytes = $reply === null ? "*-1\r\n" : encode(array_map(
                fn ($stream) => [$names[$stream[0]], $stream[1]],
                $reply,
            ));
            $port = lab_node('for words in commands(): send(test.reply)', ['reply' => $bytes]);
            $servers[$i] = "127.0.0.1:$port:1 n$i";
        }
        $config = lab_config($servers);
        $call = ['XREAD', 'STREAMS', ...array_values($names), ...array_fill(0, count($names), '0')];
        $test['merged'] = $test['merged'] === null
            ? []
            : array_map(fn ($stream) => [$names[$stream[0]], $stream[1]], $test['merged']);
    } else {
        $is_waitaof = is_array($test['replies'][0]) && $test['merge'] === 'min';
        $call = explode(' ', $is_waitaof ? 'WAITAOF 1 1 1' : $words[$test['merge']]);
    }
    $redis = new OneHop\Redis('alpha', $config);
    if (isset($test['nodes'])) {
        /* Nodes have the order in which nutcracker sorts them: short names first. */
        ksort($test['merged']);
    }
    try {
        $given = $redis->rawCommand(...$call);
    } catch (OneHop\Unsupported | RedisException $e) {
        $given = false;
    }
    if (isset($test['nodes'])) {
        ksort($given);
    }
    if ($given !== (isset($test['fails']) ? false : value($test['merged']))) {
        echo "$test[tcId] $test[comment]: ", json_encode($given), "\n";
        $wrong++;
    }
}
echo count($tests) === $page['numberOfTests'] ? "all vectors\n" : "vectors are missing\n", $wrong,
    " wrong\n";
?>
--EXPECT--
all vectors
0 wrong
