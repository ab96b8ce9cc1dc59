--TEST--
While a slot moves, ASK redirects missing keys, and TRYAGAIN repeats until all keys are together
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3);
[$a, $b, $c] = $cluster->ports;
$redis = new OneHop\Redis('alpha', $cluster->config());

$slot = 115;
$keys = array_map(static fn ($i) => lab_key_in($slot, ":$i"), range(0, 4));
$values = array_map(static fn ($key) => "value of $key", $keys);
$redis->mSet(array_combine($keys, $values));
$cluster->beginMove($slot, $a, $c);
$gone = array_slice($keys, 0, 2);
$cluster->call($a, 'MIGRATE', '127.0.0.1', (string) $c, '', '0', '5000', 'KEYS', ...$gone);
$cluster->forgetStatistics();

echo "-- two of five keys have moved\n";
lab_show('a key that has moved', $redis->get($keys[0]) === $values[0]);
lab_show('a key that is still there', $redis->get($keys[2]) === $values[2]);
lab_show('SET of a new key', $redis->set(lab_key_in($slot, ':new'), 'new'));
lab_show('GET of the new key', $redis->get(lab_key_in($slot, ':new')));
$pipeline = $redis->pipeline();
foreach ($keys as $key) {
    $pipeline->get($key);
}
lab_show('a pipeline over all five', $pipeline->exec() === $values);

$pipeline = $redis->pipeline();
foreach ($keys as $key) {
    $pipeline->append($key, '!')->get($key)->append($key, '?')->get($key);
}
$replies = array_chunk($pipeline->exec(), 4);
$right = 0;
foreach ($replies as $i => [, $first, , $second]) {
    $right += $first === "$values[$i]!" && $second === "$values[$i]!?";
}
lab_show('keys whose four commands ran in order', $right);
lab_show('nodes have answered ASK', $cluster->errors('ASK') > 0);
lab_show('nodes have answered MOVED', $cluster->errors('MOVED'));

echo "-- MGET of all five: TRYAGAIN until the others have moved, too\n";
Lab::start([
    PHP_BINARY,
    ...lab_php_arguments(),
    '-r',
    '
        foreach ([1, 2] as $i) {
            ($nodes[] = new Redis())->connect("127.0.0.1", (int) $argv[$i]);
        }
        do {
            usleep(1000);
            $ask = fn ($node) => $node->rawCommand("INFO", "errorstats");
            $said = implode(array_map($ask, $nodes));
        } while (!str_contains($said, "TRYAGAIN"));
        $words = ["MIGRATE", "127.0.0.1", $argv[2], "", "0", "5000", "KEYS"];
        $nodes[0]->rawCommand(...$words, ...array_slice($argv, 3));',
    '--',
    (string) $a,
    (string) $c,
    ...array_slice($keys, 2),
]);
lab_show('values', count(array_filter($redis->mGet($keys))));
lab_show('nodes have answered TRYAGAIN', $cluster->errors('TRYAGAIN') > 0);
$cluster->moveKeys($slot, $a, $c);
$cluster->endMove($slot, $a, $c);
lab_show('values once the slot has moved', count(array_filter($redis->mGet($keys))));
?>
--EXPECT--
-- two of five keys have moved
a key that has moved: true
a key that is still there: true
SET of a new key: true
GET of the new key: "new"
a pipeline over all five: true
keys whose four commands ran in order: 5
nodes have answered ASK: true
nodes have answered MOVED: 0
-- MGET of all five: TRYAGAIN until the others have moved, too
values: 5
nodes have answered TRYAGAIN: true
values once the slot has moved: 5
