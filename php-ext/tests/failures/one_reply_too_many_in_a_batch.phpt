--TEST--
One reply too many in a batch: every value is right, or the batch fails
--FILE--
<?php
require __DIR__ . '/../lab/liars.inc';

const PATIENT = ['timeout' => 60000, 'server_failure_limit' => 16383];

/*
 * Reads $count commands and answers them in one write, as redis does. The reply at the position
 * that the key names is sent twice: "POSITION:COUNT:SIZE:...". A late one comes 1 ms afterwards.
 */
const DOUBLING = '
    $bulk = fn ($value) => "\$" . strlen($value) . "\r\n$value\r\n";
    $answer = fn ($key) => $bulk(str_pad("value of $key ", (int) explode(":", $key)[2], "."));
    while ($words = $node->command()) {
        [$position, $count] = explode(":", $words[1]);
        $answers = [];
        do {
            $answers[] = $answer($words[1]);
        } while (count($answers) < $count && $words = $node->command());
        if (is_numeric($position)) {
            $answers[$position] .= $answers[$position];
        }
        $node->send(implode($answers));
        if ($position === "late") {
            usleep(1000);
            $node->send(end($answers));
        }
    }';

/** Makes a pipeline. Returns how it ended: right, failed, or the first wrong value. */
function ended(OneHop\Redis $redis, int|string $position, int $count, int $size = 0): string
{
    $pipeline = $redis->pipeline();
    for ($i = 0, $keys = []; $i < $count; $i++) {
        $pipeline->get($keys[] = "$position:$count:$size:$i");
    }
    try {
        $values = $pipeline->exec();
    } catch (OneHop\ProtocolViolation $e) {
        return $e->mayHaveExecuted() ? 'failed' : 'not sent';
    }
    foreach ($keys as $i => $key) {
        if (rtrim($values[$i], '.') !== "value of $key ") {
            return 'wrong: ' . substr($values[$i], 0, 30);
        }
    }
    return 'right';
}

function client(): OneHop\Redis
{
    return new OneHop\Redis('alpha', lab_config([lab_node(DOUBLING)], PATIENT));
}

function positions(int $count): array
{
    $step = max(1, intdiv($count, (int) (getenv('ONEHOP_TEST_POSITIONS') ?: 2)));
    return array_unique([...range(0, $count - 1, $step), $count - 2, $count - 1]);
}

echo "-- at each position, with small values and with large ones\n";
$redis = client();
foreach ([2 => [0, 20000], 50 => [0, 20000], 1000 => [0, 500]] as $count => $sizes) {
    foreach ($sizes as $size) {
        $found = [];
        foreach (positions($count) as $position) {
            $found[] = ended($redis, $position, $count, $size);
        }
        $well = ended($redis, '-', $count, $size);
        lab_show("$count of $size bytes", [$well, array_unique($found)]);
    }
}

echo "-- replies that fill the room for them\n";
$value = 16384 - strlen("\$16384\r\n\r\n");
lab_show('2 of 16384 bytes', [ended(client(), '-', 2, $value), ended(client(), 0, 2, $value)]);

echo "-- 1 ms after the batch before\n";
$found = [];
for ($i = 0; $i < 40; $i++) {
    $found[] = ended($redis, 'late', $i % 10 ? 2 : 500);
}
lab_show('neither right nor failed', array_values(array_diff($found, ['right', 'failed'])));

echo "-- in a cluster\n";
$liars = new Liars();
$liars->behave('(function () use ($words, $node) {
    if (!in_array($words[0], ["MGET", "GET"])) {
        return null;
    }
    $bulk = fn ($value) => "\$" . strlen($value) . "\r\n$value\r\n";
    $values = array_map(fn ($key) => $bulk("value of $key"), array_slice($words, 1));
    $answer = $words[0] === "GET" ? $values[0] : "*" . count($values) . "\r\n" . implode($values);
    $GLOBALS["answers"][] = $answer;
    if (!str_contains(implode($words), "last")) {
        return "";
    }
    $GLOBALS["answers"][0] .= str_contains(implode($words), "right") ? "" : $GLOBALS["answers"][0];
    $all = implode($GLOBALS["answers"]);
    $GLOBALS["answers"] = [];
    return $all;
})()');
$redis = new OneHop\Redis('alpha', $liars->config(PATIENT));
foreach (['right', 'wrong'] as $end) {
    $keys = ['{c}1', '{d}2', '{e}3', '{f}4', "{a}last-$end", "{b}last-$end"];
    lab_tell(fn () => implode(', ', $redis->mget($keys)));
    $pipeline = $redis->pipeline();
    array_map($pipeline->get(...), $keys);
    lab_tell(fn () => implode(', ', $pipeline->exec()));
}

echo "-- a transaction, alone and in a pipeline\n";
$script = '
    while ($words = $node->command()) {
        if ($words[0] === "MULTI") {
            [$position, $gathers] = explode(" ", file_get_contents(dirname($log) . "/position"));
            $answers = ["+OK\r\n", "+QUEUED\r\n", "+QUEUED\r\n", "*2\r\n\$1\r\na\r\n\$1\r\nb\r\n"];
            if ($position < 4) {
                $answers[$position] .= $position == 3 ? "\$1\r\nb\r\n" : $answers[$position];
            }
            $node->send(array_shift($answers));
        } elseif (!$gathers || $words[0] === "EXEC") {
            $node->send(implode(array_splice($answers, 0, $gathers ? 3 : 1)));
        }
    }';
$redis = new OneHop\Redis(
    'alpha',
    lab_config([lab_node($script)], PATIENT),
);
for ($position = 0; $position <= 4; $position++) {
    foreach ([0, 1] as $gathers) {
        file_put_contents(Lab::file('position'), "$position $gathers");
        try {
            $gathers && $redis->pipeline();
            $result = $redis->multi()->get('{k}1')->get('{k}2')->exec();
            lab_show("$position", $gathers ? $redis->exec() : $result);
        } catch (OneHop\Exception $e) {
            lab_show("$position", get_class($e));
            $redis->discard();
        }
    }
}
?>
--EXPECT--
-- at each position, with small values and with large ones
2 of 0 bytes: ["right",["failed"]]
2 of 20000 bytes: ["right",["failed"]]
50 of 0 bytes: ["right",["failed"]]
50 of 20000 bytes: ["right",["failed"]]
1000 of 0 bytes: ["right",["failed"]]
1000 of 500 bytes: ["right",["failed"]]
-- replies that fill the room for them
2 of 16384 bytes: ["right","failed"]
-- 1 ms after the batch before
neither right nor failed: []
-- in a cluster
value: "value of {c}1, value of {d}2, value of {e}3, value of {f}4, value of {a}last-right, value of {b}last-right"
value: "value of {c}1, value of {d}2, value of {e}3, value of {f}4, value of {a}last-right, value of {b}last-right"
OneHop\ProtocolViolation, node 127.0.0.1:PORT, may have executed: true
  The node violated the protocol (a reply that was not asked for), node 127.0.0.1:PORT, server pool alpha: the command may have executed; check what listens at that address
OneHop\ProtocolViolation, node 127.0.0.1:PORT, may have executed: true
  The node violated the protocol (a reply that was not asked for), node 127.0.0.1:PORT, server pool alpha: the command may have executed; check what listens at that address
-- a transaction, alone and in a pipeline
0: "OneHop\\ProtocolViolation"
0: "OneHop\\ProtocolViolation"
1: "OneHop\\ProtocolViolation"
1: "OneHop\\ProtocolViolation"
2: "OneHop\\ProtocolViolation"
2: "OneHop\\ProtocolViolation"
3: "OneHop\\ProtocolViolation"
3: "OneHop\\ProtocolViolation"
4: ["a","b"]
4: [["a","b"]]
