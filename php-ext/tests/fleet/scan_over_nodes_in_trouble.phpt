--TEST--
scan() copes with nodes that are down, fail or are slow, and refuses values that are not cursors
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/** A node that answers SCAN with these replies, one after another; each is [cursor, keys]. */
function node(array $answers, int $pause_ms = 0): string
{
    $port = lab_node('
    for answer in test.answers:
        command()
        time.sleep(test.pause_ms / 1000)
        if isinstance(answer, str):
            send(answer)
        else:
            send(listed([answer[0], listed(answer[1])]))
    command()', ['answers' => $answers, 'pause_ms' => $pause_ms]);
    return "127.0.0.1:$port:1";
}

echo "-- a node that is down: the iterator stays, so no key is lost when the node is back\n";
$port = Lab::port();
$config = lab_config([node([['5', ['a']], ['0', ['b']]]) . ' n0', "127.0.0.1:$port:1 n1"]);
$redis = new OneHop\Redis('alpha', $config);
$iterator = null;
lab_show('keys', implode($redis->scan($iterator)));
lab_show('keys', implode($redis->scan($iterator)));
$kept = $iterator;
lab_tell(function () use ($redis, &$iterator) { return $redis->scan($iterator); });
lab_show('the iterator stays', $iterator === $kept);
lab_redis_at($port);
lab_plain($port)->set('c', 1);
for ($found = null; $found === null; usleep(10000)) {
    try {
        $found = $redis->scan($iterator);
    } catch (OneHop\NodeDown) { /* The node rests for a while. */
    }
}
lab_show('keys', implode($found));
lab_show('iterator', $iterator);

echo "-- an error of a node returns false, as in phpredis\n";
$redis = new OneHop\Redis('alpha', lab_config([node(["-ERR no\r\n", ['0', ['a']]]) . ' n0']));
$iterator = null;
lab_tell(function () use ($redis, &$iterator) { return @$redis->scan($iterator); });
lab_show('iterator', $iterator);
lab_tell(function () use ($redis, &$iterator) { return $redis->scan($iterator); });

echo "-- each round trip of a retried scan has a deadline of its own\n";
$empty = array_map(fn ($i) => [(string) $i, []], range(1, 8));
$redis = new OneHop\Redis('alpha', lab_config(
    [node([...$empty, ['0', []]], 300) . ' n0', node([...$empty, ['9', ['late']]], 300) . ' n1'],
    ['timeout' => 2000],
));
$redis->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
$iterator = null;
lab_tell(function () use ($redis, &$iterator) { return implode($redis->scan($iterator)); });
lab_show('it goes on', $iterator > 0);
$redis = new OneHop\Redis(
    'alpha',
    lab_config([node([...$empty, ['9', ['field', 'late']]], 300) . ' n0'], ['timeout' => 2000]),
);
$redis->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
$iterator = null;
lab_tell(function () use ($redis, &$iterator) { return $redis->hScan('key', $iterator); });

echo "-- what is not a cursor\n";
$redis = new OneHop\Redis('alpha', lab_config([
    node([['18446744073709551615', ['a']], ['18446744073709551616', ['b']]]) . ' large',
]));
$iterator = null;
lab_tell(function () use ($redis, &$iterator) { return implode($redis->scan($iterator)); });
lab_tell(function () use ($redis, &$iterator) { return implode($redis->scan($iterator)); });
?>
--EXPECT--
-- a node that is down: the iterator stays, so no key is lost when the node is back
keys: "a"
keys: "b"
OneHop\NodeDown, node n1, may have executed: false
  Connection refused while connecting, node n1 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
the iterator stays: true
keys: "c"
iterator: 0
-- an error of a node returns false, as in phpredis
value: false
iterator: null
value: ["a"]
-- each round trip of a retried scan has a deadline of its own
value: "late"
it goes on: true
value: {"field":"late"}
-- what is not a cursor
value: "a"
OneHop\ProtocolViolation, node large, may have executed: true
  The node's cursor is not a 64-bit number, node large (127.0.0.1:PORT), server pool alpha: the command was answered; check what listens at that address
