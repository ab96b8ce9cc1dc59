--TEST--
One reply too many in a batch: every value is right, or the batch fails
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

const PATIENT = ['timeout' => 60000, 'server_failure_limit' => 16383];

/*
 * Reads $count commands and answers them in one write, as redis does. The reply at the position
 * that the key names is sent twice: "POSITION:COUNT:SIZE:...". If the second one is late, it comes
 * 1 ms afterwards.
 */
const DOUBLING = '
    def answer(key):
        return bulk(f"value of {key} ".ljust(int(key.split(":")[2]), "."))

    for words in commands():
        position, count = words[1].split(":")[:2]
        answers = [answer(words[1])]
        while len(answers) < int(count):
            answers.append(answer(command()[1]))
        if position.isdigit():
            answers[int(position)] *= 2
        send(*answers)
        if position == "late":
            time.sleep(0.001)
            send(answers[-1])';

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
$liars->behave('
    answers = []
    def answer(words):
        if words[0] not in ("MGET", "GET"):
            return None
        values = [bulk("value of " + key) for key in words[1:]]
        answers.append(values[0] if words[0] == "GET" else listed(values))
        if "last" not in " ".join(words):
            return ""
        if "right" not in " ".join(words):
            answers[0] *= 2
        every = b"".join(answers)
        answers.clear()
        return every');
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
    for words in commands():
        if words[0] == "MULTI":
            answers = [b"+OK\r\n", b"+QUEUED\r\n", b"+QUEUED\r\n", listed(["a", "b"])]
            if test.position < 4:
                answers[test.position] += bulk("b") if test.position > 2 else answers[test.position]
            send(answers.pop(0))
        elif not test.gathers:
            send(answers.pop(0))
        elif words[0] == "EXEC":
            send(*answers)';
$redis = new OneHop\Redis(
    'alpha',
    lab_config([$node = lab_node($script)], PATIENT),
);
for ($position = 0; $position <= 4; $position++) {
    foreach ([0, 1] as $gathers) {
        lab_change($node, position: $position, gathers: $gathers);
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
