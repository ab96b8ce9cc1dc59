--TEST--
Nodes that lie cannot mix up replies, lead a client to strangers, or fill its memory
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$low = lab_key_in(5);
$high = lab_key_in(9000);
/* Only the ports differ from run to run. */
$tell = function (Liars $liars, callable $call) {
    ob_start();
    lab_tell($call);
    echo str_replace(
        array_map(fn ($port) => "\"$port ", $liars->ports),
        ['"a ', '"b '],
        ob_get_clean(),
    );
};
$give_up = function (callable $call) {
    try {
        lab_show('value', $call());
    } catch (OneHop\NodeDown | OneHop\DeadlineExceeded) {
        echo "given up\n"; /* Milliseconds decide which of the two failures it is. */
    }
};
$redirected = 'words[-1] == "' . $low . '" and port == a';

echo "-- MOVED for a command without a key\n";
$liars = new Liars();
$config = $liars->config();
$redis = new OneHop\Redis('alpha', $config);
$liars->behave(
    '(f"-MOVED 5 127.0.0.1:{b}\r\n" if port == a else "+PONG\r\n") if words[0] == "PING" else None',
);
$tell($liars, fn () => $redis->ping());
$tell($liars, fn () => $redis->get($high));
$names = array_map(fn ($node) => $node->name, (new OneHop\Topology('alpha', $config))->nodes());
lab_show(
    'the map is as before',
    $names === array_map(fn ($port) => "127.0.0.1:$port", $liars->ports),
);

echo "-- redirects that are malformed\n";
foreach ([
    'MOVED', 'MOVED 5', 'MOVED 16384 127.0.0.1:{b}', 'MOVED -1 127.0.0.1:{b}',
    'MOVED 5 127.0.0.1:65536', 'MOVED 5 127.0.0.1:{b}\0', 'MOVED 5 127.0.0.1:0',
    'MOVED 5 127.0.0.1', 'MOVED 5  127.0.0.1:{b}', 'MOVED 5 127.0.0.1:{b} ',
    'ASK 5 127.0.0.1:99999999999999999999', 'MOVED  5 127.0.0.1:{b}', 'MOVED 05x 127.0.0.1:{b}',
    'MOVED 5 ' . str_repeat('h', 300) . ':1', 'ASKED 5 127.0.0.1:{b}',
] as $error) {
    $liars->behave('f"-' . $error . '\r\n" if words[0] == "GET" else None');
    try {
        $answer = $redis->get($low);
        echo "$error: ", var_export($answer, true), "\n";
    } catch (RedisException $e) {
        echo $e instanceof OneHop\Exception ? "$error: {$e->getMessage()}\n" : '';
    }
}
echo count(Liars::heard($liars->ports[1])), " commands at the other node\n";

echo "-- to a stranger\n";
$stranger = lab_node('for words in commands(): value("a stranger\'s")');
$liars = new Liars();
$redis = $liars->client(['timeout' => 700, 'redis_auth' => 'secret']);
foreach ([
    "MOVED 5 127.0.0.1:$stranger",
    "MOVED 5 127.0.0.1\\0:{$liars->ports[1]}",
    "ASK 5 127.0.0.1:$stranger",
] as $error) {
    $liars->behave('"-' . $error . '\r\n" if ' . $redirected . ' else None');
    $give_up(fn () => $redis->get($low));
}
lab_show('the stranger heard', lab_commands($stranger));

echo "-- redirects to a stranger, but the map knows the owner: a pipeline waits for the map once\n";
$liars->tell([[0, 16383, $liars->ports[1]]]);
$liars->behave(
    '"-MOVED 5 127.0.0.1:' . $stranger . '\r\n" if words[0] == "GET" and port == a else None',
);
$redis = $liars->client([], 'patient.yml');
$pipeline = $redis->pipeline();
for ($i = 0; $i < 50; $i++) {
    $pipeline->get("$low$i");
}
lab_show(
    'all replies come from the owner',
    $pipeline->exec() === array_map(fn ($i) => "{$liars->ports[1]} $low$i", range(0, 49)),
);
lab_show('the stranger heard', lab_commands($stranger));

echo "-- redirects to each other and to the same node, and ASKING refused\n";
foreach ([
    'f"-MOVED 5 127.0.0.1:{b if port == a else a}\r\n"',
    'f"-MOVED 5 127.0.0.1:{port}\r\n"',
    'f"-MOVED 5 :{port}\r\n"',
    '"-ERR no\r\n" if words[0] == "ASKING" else f"-ASK 5 127.0.0.1:{b if port == a else a}\r\n"',
] as $answer) {
    $liars = new Liars();
    $redis = $liars->client(['timeout' => 700]);
    $liars->behave('None if words[0] == "CLUSTER" else ' . $answer);
    $give_up(fn () => $redis->get($low));
}

echo "-- surplus replies, and missing replies\n";
$liars = new Liars();
$redis = $liars->client();
$liars->behave('f"-MOVED 5 127.0.0.1:{b}\r\n+more\r\n" if ' . $redirected . ' else None');
lab_tell(fn () => $redis->get($low));
foreach ([
    '"+one\r\n+two\r\n+three\r\n"',
    'close()',
    'send("$9\r\nhalf") or close()',
] as $answer) {
    $liars = new Liars();
    $redis = $liars->client();
    $redis->get($high);
    $liars->behave(
        'None if words[0] == "CLUSTER" else f"-MOVED 5 127.0.0.1:{b}\r\n" if port == a else '
            . $answer,
    );
    lab_tell(fn () => $redis->pipeline()->get($low)->get("{$low}2")->exec());
    $liars->behave('None');
}

echo "-- push frames\n";
foreach ([
    '">1\r\n+message\r\n+value\r\n"',
    'f">1\r\n+message\r\n-MOVED 5 127.0.0.1:{b}\r\n" if port == a else None',
    'f"-ASK 5 127.0.0.1:{b}\r\n" if port == a
        else ">1\r\n+message\r\n+OK\r\n" if words[0] == "ASKING" else None',
] as $answer) {
    $liars = new Liars();
    $redis = $liars->client();
    $liars->behave('None if words[0] == "CLUSTER" else ' . $answer);
    lab_tell(fn () => $redis->get($low));
}

echo "-- large replies around a redirect\n";
$liars = new Liars();
$redis = $liars->client();
$liars->behave(
    'f"-MOVED 5 127.0.0.1:{b}\r\n" if ' . $redirected
        . ' else bulk(words[-1][-4] * 3000000) if words[-1].endswith("big") else None',
);
$replies = $redis->pipeline()->get("{$low}1big")->get("{$low}2big")->get($low)->get("{$low}3big")
    ->get($high)->exec();
$tell($liars, fn () => array_map(
    fn ($reply) => strlen($reply) > 100 ? count_chars($reply, 3) . ' ' . strlen($reply) : $reply,
    $replies,
));
?>
--EXPECT--
-- MOVED for a command without a key
value: true
value: "b {108756}"
the map is as before: true
-- redirects that are malformed
3 commands at the other node
-- to a stranger
given up
given up
given up
the stranger heard: []
-- redirects to a stranger, but the map knows the owner: a pipeline waits for the map once
all replies come from the owner: true
the stranger heard: []
-- redirects to each other and to the same node, and ASKING refused
given up
given up
given up
given up
-- surplus replies, and missing replies
OneHop\ProtocolViolation, node 127.0.0.1:PORT, may have executed: true
  The node violated the protocol (a reply that was not asked for), node 127.0.0.1:PORT, server pool alpha: the command may have executed; check what listens at that address
OneHop\ProtocolViolation, node 127.0.0.1:PORT, may have executed: true
  Redirected to 127.0.0.1:PORT: The node violated the protocol (a reply that was not asked for), node 127.0.0.1:PORT, server pool alpha: the command may have executed; check what listens at that address
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: true
  Redirected to 127.0.0.1:PORT: Connection closed by the node, node 127.0.0.1:PORT, server pool alpha: the command may have executed; try again only if the command can safely run twice
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: true
  Redirected to 127.0.0.1:PORT: Connection closed by the node, node 127.0.0.1:PORT, server pool alpha: the command may have executed; try again only if the command can safely run twice
-- push frames
OneHop\ProtocolViolation, node 127.0.0.1:PORT, may have executed: true
  The node violated the protocol (a push frame in RESP2), node 127.0.0.1:PORT, server pool alpha: the command may have executed; check what listens at that address
OneHop\ProtocolViolation, node 127.0.0.1:PORT, may have executed: true
  The node violated the protocol (a push frame in RESP2), node 127.0.0.1:PORT, server pool alpha: the command may have executed; check what listens at that address
OneHop\ProtocolViolation, node 127.0.0.1:PORT, may have executed: true
  Redirected to 127.0.0.1:PORT: The node violated the protocol (a push frame in RESP2), node 127.0.0.1:PORT, server pool alpha: the command may have executed; check what listens at that address
-- large replies around a redirect
value: ["1 3000000","2 3000000","b {460}","3 3000000","b {108756}"]
