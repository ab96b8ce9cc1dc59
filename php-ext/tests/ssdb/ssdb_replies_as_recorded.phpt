--TEST--
Every command is sent to an SSDB node, and its replies are read, as the vectors say
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * The test says what the node must receive next and what it answers, as recorded from a real SSDB.
 * A letter of the vectors is a byte.
 */
$ssdb = lab_node('
    for words in commands():
        if words == ["VERSION"]:
            send(listed(["1.9.8"]))
            continue
        expected = [[word.encode("latin-1") for word in each] for each in test.send]
        received = [words] + [command() for each in expected[1:]]
        if [[encode(word) for word in each] for each in received] != expected:
            reply("-NOT WHAT THE VECTOR SAYS")
            close()
        send(test.replies.encode("latin-1"))');
$reader = lab_node('for words in commands(): send(test.reply.encode("latin-1"))');

function bytes(mixed $text): mixed
{
    return is_array($text)
        ? array_map('bytes', $text)
        : (is_string($text) ? mb_convert_encoding($text, 'ISO-8859-1', 'UTF-8') : $text);
}

$page = json_decode(file_get_contents(__DIR__ . '/../../../spec/route/vectors/ssdb.json'), true);
$tests = array_merge(...array_column($page['testGroups'], 'tests'));
$config = lab_config(
    [$ssdb],
    ['engine' => 'ssdb', 'server_failure_limit' => 1000],
);
$redis = new OneHop\Redis('alpha', $config);
$plain = lab_plain($reader);
$count = ['refused' => 0, 'violation' => 0, 'same' => 0];
foreach ($tests as $said) {
    $test = bytes($said);
    /* Left out: raw calls cannot follow a cursor, and the replies of all nodes are merged. */
    $is_of_all_nodes = in_array(
        strtolower($test['words'][0]),
        ['scan', 'keys', 'info', 'dbsize', 'ping', 'hlist'],
        true,
    );
    if ($is_of_all_nodes && (
        isset($test['raw']) || !isset($test['refused']) || count($test['words']) === 1
    )) {
        continue;
    }
    if ($test['comment'] === 'But not by a method' || $test['words'][0] === 'SELECT') {
        continue; /* All calls are raw here, and SELECT of the pool's own database is not sent. */
    }
    $told = "$test[tcId], $test[comment]: ";
    lab_change($ssdb, ...$said);
    lab_change($reader, ...$said);
    try {
        $value = $redis->rawCommand(...$test['words']);
        $expected = isset($test['reply']) ? $plain->rawCommand('ANY') : 'nothing';
        if ($value !== $expected) {
            echo $told, var_export($value, true), ' instead of ', var_export($expected, true), "\n";
        }
        $count['same']++;
    } catch (OneHop\Unsupported $e) {
        $is_told = str_contains($e->getMessage(), rtrim($test['refused'] ?? 'served', '.'));
        /* Some refusals have a reason that holds for every kind of node. */
        if (!isset($test['refused']) || (!$is_told && str_contains($e->getMessage(), 'SSDB'))) {
            echo $told, $e->getMessage(), "\n";
        }
        $count['refused']++;
    } catch (OneHop\ProtocolViolation $e) {
        if (!isset($test['violation'])) {
            echo $told, $e->getMessage(), "\n";
        }
        $count['violation']++;
    }
}
var_dump($count['refused'] > 75, $count['violation'] === 7, $count['same'] > 130);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
