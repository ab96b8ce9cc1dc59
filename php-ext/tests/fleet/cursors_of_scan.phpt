--TEST--
scan() begins and ends as in phpredis, and goes on with cursors of 64 bits in every process
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const CURSORS = [
    '0', '9286422431638134784', '1099511627776', '549755813887', '18446744073709551615',
];

$plain = lab_plain(lab_redis());
$ours = new OneHop\Redis('alpha', lab_config([lab_redis(), lab_redis(), lab_redis(), lab_redis()]));
for ($i = 0; $i < 100; $i++) {
    $plain->set("key:$i", $i);
    $ours->set("key:$i", $i);
}

/** How many keys are found by a loop that begins with $cursor; false if it does not scan at all. */
function found(Redis $redis, mixed $cursor): int|false
{
    $found = [];
    for (
        $rounds = 0;
        ($keys = $redis->scan($cursor, 'key:*', 20)) !== false && $rounds < 100;
        $rounds++
    ) {
        $found += array_flip($keys);
        if ($cursor === 0) {
            break;
        }
    }
    return $keys === false && $rounds === 0 ? false : count($found);
}
$different = [];
$begins = 0;
foreach ([
    null, 0, -1, -17, '0', '00', ' 0', '', 'abc', '-0', '0.0', '-1', '17', true, false, 1.5,
] as $first) {
    $expected = found($plain, $first);
    if ($expected !== false && $expected < 100) {
        continue; // This is a cursor of the one server, so the loop begins in the middle.
    }
    $begins += $expected === 100;
    if (found($ours, $first) !== $expected) {
        $different[] = var_export($first, true);
    }
}
lab_show('different from phpredis', $different);
lab_show('some begin', $begins > 4);

echo "-- cursors of 64 bits\n";
/** A node that answers each cursor with the next one, and with a key. */
function node(string $prefix): int
{
    return lab_node('
        for words in commands():
            page = test.cursors.index(words[1])
            cursor = test.cursors[(page + 1) % len(test.cursors)]
            send(listed([cursor, listed([f"{test.prefix}{page}"])]))',
        ['cursors' => CURSORS, 'prefix' => $prefix],
    );
}

$ports = [node('a'), node('b')];
foreach ([[$ports[0]], $ports] as $servers) {
    $redis = new OneHop\Redis('alpha', lab_config($servers, ['timeout' => 30000]));
    foreach ([[], ['a*', 10]] as $arguments) {
        $seen = [];
        for ($cursor = null; ($keys = $redis->scan($cursor, ...$arguments)) !== false;) {
            array_push($seen, ...$keys);
        }
        lab_show(count($servers) . ' node(s)', [$seen, $cursor]);
    }
}
$asked = array_map(static fn ($line) => explode(' ', $line)[2], lab_commands($ports[1]));
lab_show('asked', array_slice($asked, 0, count(CURSORS)));

echo "-- another process of this host goes on\n";
$config = lab_config($ports, ['timeout' => 30000]);
$redis = new OneHop\Redis('alpha', $config);
$cursor = null;
lab_show('here', $redis->scan($cursor));
if (pcntl_fork() === 0) {
    $redis = new OneHop\Redis('alpha', $config);
    lab_show('in a child', $redis->scan($cursor));
    posix_kill(getmypid(), SIGKILL);
}
pcntl_wait($status);
echo "-- a process with memory of its own cannot go on\n";
echo lab_hide(lab_run('<?php
    $cursor = (int) $argv[2];
    try {
        var_dump((new OneHop\Redis("alpha", $argv[1]))->scan($cursor));
    } catch (OneHop\Unsupported $e) {
        echo $e->getMessage(), "\n";
    }', [$config, (string) $cursor])), "\n";
lab_show('here', $redis->scan($cursor));
?>
--EXPECT--
different from phpredis: []
some begin: true
-- cursors of 64 bits
1 node(s): [["a0","a1","a2","a3","a4"],0]
1 node(s): [["a0","a1","a2","a3","a4"],0]
2 node(s): [["a0","a1","a2","a3","a4","b0","b1","b2","b3","b4"],0]
2 node(s): [["a0","a1","a2","a3","a4","b0","b1","b2","b3","b4"],0]
asked: ["0","9286422431638134784","1099511627776","549755813887","18446744073709551615"]
-- another process of this host goes on
here: ["a0"]
in a child: ["a1"]
-- a process with memory of its own cannot go on
The cursor is not known here: it is over an hour old, from another host, or one of too many, server pool alpha: the command was not sent; start again with null

here: ["a1"]
