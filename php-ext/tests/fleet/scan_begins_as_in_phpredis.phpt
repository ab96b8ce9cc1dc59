--TEST--
scan() begins and ends with the same iterator values as the loaded phpredis
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$plain = lab_plain(lab_redis());
$ours = new OneHop\Redis('alpha', lab_config([lab_redis(), lab_redis(), lab_redis(), lab_redis()]));
for ($i = 0; $i < 100; $i++) {
    $plain->set("key:$i", $i);
    $ours->set("key:$i", $i);
}

/** How many keys a loop finds that begins with $iterator; false if it does not scan at all. */
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
var_dump($different, $begins > 4);
?>
--EXPECT--
array(0) {
}
bool(true)
