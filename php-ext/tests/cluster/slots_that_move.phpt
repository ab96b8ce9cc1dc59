--TEST--
Slots of a Redis Cluster that move: alone, in pipelines, in replies that are streamed, in transactions
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3);
[$a, $b, $c] = $cluster->ports;
$redis = new OneHop\Redis('alpha', $cluster->config());

/* Twenty slots of the first node, each with a few keys, which go to the last one. */
$slots = range(100, 119);
$keys = [];
foreach ($slots as $slot) {
    for ($i = 0; $i < 5; $i++) {
        $keys[] = $key = lab_key_in($slot, ":$i");
        $redis->set($key, "value of $key");
    }
}
$values = array_map(static fn ($key) => "value of $key", $keys);
$others = array_map(static fn ($i) => "other:$i", range(0, 199));
$redis->mSet(array_combine($others, $others));

echo "MOVED in a pipeline: each command is sent on, once\n";
foreach (array_slice($slots, 0, 10) as $slot) {
    $cluster->move($slot, $a, $c);
}
$cluster->forgetStatistics();
$batch = static function (array $keys) use ($redis): array {
    $pipeline = $redis->pipeline();
    foreach ($keys as $key) {
        $pipeline->get($key);
    }
    return $pipeline->exec();
};
$mixed = $expected = [];
foreach ($keys as $i => $key) {
    array_push($mixed, $key, $others[$i]);
    array_push($expected, $values[$i], $others[$i]);
}
var_dump($batch($mixed) === $expected, $cluster->errors('MOVED'));
var_dump(array_sum(array_column(OneHop\Topology::status()[0]['nodes'], 'redirects')));
var_dump($batch($mixed) === $expected, $cluster->errors('MOVED'));
var_dump($redis->mGet($keys) === $values, $cluster->errors('MOVED'));

echo "MOVED alone, and in a command over several slots\n";
foreach (array_slice($slots, 10, 5) as $slot) {
    $cluster->move($slot, $a, $c);
}
var_dump($redis->get($keys[50]), $cluster->errors('MOVED'));
var_dump($redis->mGet($keys) === $values, $cluster->errors('MOVED'));
var_dump($redis->getLastError());

echo "ASK: keys that have gone, keys that are still there, keys that are new\n";
$slot = $slots[15];
$mine = array_slice($keys, 75, 5);
$cluster->beginMove($slot, $a, $c);
$cluster->call($a, 'MIGRATE', '127.0.0.1', (string) $c, '', '0', '5000', 'KEYS', $mine[0], $mine[1]);
var_dump($redis->get($mine[0]), $redis->get($mine[2]), $redis->set(lab_key_in($slot, ':new'), 'new'), $redis->get(lab_key_in($slot, ':new')));
var_dump($batch($mine) === array_slice($values, 75, 5));
$pipeline = $redis->pipeline();
foreach ($mine as $key) {
    $pipeline->append($key, '!')->get($key)->append($key, '?')->get($key);
}
$result = $pipeline->exec();
$right = 0;
foreach ($mine as $i => $key) {
    $right += $result[$i * 4 + 1] === "value of $key!" && $result[$i * 4 + 3] === "value of $key!?";
}
var_dump($right);
printf("%d MOVED, ASK: %s\n", $cluster->errors('MOVED'), $cluster->errors('ASK') > 0 ? 'yes' : 'no');
echo "TRYAGAIN until its keys are together\n";
$later = Lab::start([PHP_BINARY, '-r', 'usleep(200000); exec($argv[1]);', '--',
    "redis-cli -p $a MIGRATE 127.0.0.1 $c '' 0 5000 KEYS " . implode(' ', array_map('escapeshellarg', array_slice($mine, 2)))]);
var_dump(count(array_filter($redis->mGet($mine))));
$cluster->moveKeys($slot, $a, $c);
$cluster->endMove($slot, $a, $c);
var_dump(count(array_filter($redis->mGet($mine))));

echo "replies that are streamed: 4 MB, every other key has moved\n";
$big = array_map(static fn ($i) => lab_key_in($slots[16 + $i % 2], ":big$i"), range(0, 39));
foreach ($big as $i => $key) {
    $redis->set($key, str_repeat(chr(65 + $i % 26), 100000) . $key);
}
$cluster->move($slots[17], $a, $c);
$wrong = 0;
foreach ($batch($big) as $i => $value) {
    $wrong += $value !== str_repeat(chr(65 + $i % 26), 100000) . $big[$i];
}
var_dump($wrong);
$long = lab_key_in($slots[18], ':long');
$redis->set($long, str_repeat('x', 3000000));
$cluster->move($slots[18], $a, $c);
var_dump(strlen($redis->get($long)));

echo "a transaction is never sent on\n";
$key = lab_key_in($slots[19], ':t');
$redis->set($key, 1);
$cluster->move($slots[19], $a, $c);
lab_tell(static fn () => $redis->multi()->incr($key)->exec());
lab_tell(static fn () => $redis->exec());
var_dump($redis->multi()->incr($key)->exec());
$redis->multi()->incr($key);
$cluster->move($slots[19], $c, $b);
lab_tell(static fn () => $redis->exec());
var_dump($redis->get($key));
$cluster->move($slots[19], $b, $a);
$neighbour = lab_key_in(7000); /* Of the node that had the slot. */
try {
    $redis->pipeline()->get($others[0])->multi()->set($neighbour, 1)->incr($neighbour)->exec()->multi()->incr($key)->incr($key)->exec()
        ->get($key)->multi()->incr($neighbour)->exec()->get($others[1])->exec();
} catch (OneHop\PartialBatch $e) {
    echo lab_hide($e->getMessage()), "\n", json_encode(array_map(static fn ($reply) => $reply instanceof Exception ? get_class($reply) : $reply, $e->getReplies())), "\n";
}
var_dump($redis->pipeline()->multi()->incr($key)->incr($key)->exec()->get($key)->exec() === [[3, 4], '4']);

echo "what is said to a node that was chosen stays there\n";
try {
    $redis->onEachNode('get', $keys[0]);
} catch (OneHop\PartialBatch $e) {
    printf("%d, %d\n", count(array_filter($e->getReplies(), is_string(...))), count($e->getFailures()));
}

echo "a loop ends\n";
$slot = 300;
$key = lab_key_in($slot);
$cluster->call($a, 'CLUSTER', 'SETSLOT', (string) $slot, 'NODE', $cluster->id($b));
lab_tell(static fn () => preg_replace('/\d+$/', '', (string) $redis->get($key)));
?>
--EXPECT--
MOVED in a pipeline: each command is sent on, once
bool(true)
int(50)
int(50)
bool(true)
int(50)
bool(true)
int(50)
MOVED alone, and in a command over several slots
string(17) "value of {2359}:0"
int(51)
bool(true)
int(55)
NULL
ASK: keys that have gone, keys that are still there, keys that are new
string(15) "value of {14}:0"
string(15) "value of {14}:2"
bool(true)
string(3) "new"
bool(true)
int(5)
55 MOVED, ASK: yes
TRYAGAIN until its keys are together
int(5)
int(5)
replies that are streamed: 4 MB, every other key has moved
int(0)
int(3000000)
a transaction is never sent on
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: false
  The cluster cannot serve this now: a transaction is never sent again (node 127.0.0.1:PORT said MOVED 119 127.0.0.1:PORT), node 127.0.0.1:PORT (127.0.0.1:PORT), server pool alpha: the command was not sent; nothing of the transaction was executed: begin again
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: false
  The cluster cannot serve this now: a transaction is never sent again (node 127.0.0.1:PORT said MOVED 119 127.0.0.1:PORT), node 127.0.0.1:PORT (127.0.0.1:PORT), server pool alpha: the command was not sent; nothing of the transaction was executed: begin again
array(1) {
  [0]=>
  int(2)
}
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: true
  The cluster cannot serve this now: a transaction is never sent again (node 127.0.0.1:PORT said MOVED 119 127.0.0.1:PORT), node 127.0.0.1:PORT (127.0.0.1:PORT), server pool alpha: the command was answered; try again
string(1) "2"
A part of the batch failed, though every node has answered, server pool alpha: its commands were answered; getReplies() has all replies, with a failure in the place of each such part, the first: The cluster cannot serve this now: a transaction is never sent again, node 127.0.0.1:PORT (127.0.0.1:PORT), server pool alpha
["other:0",[true,2],"OneHop\\NodeDown","2",[3],"other:1"]
bool(true)
what is said to a node that was chosen stays there
1, 2
a loop ends
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: true
  The cluster cannot serve this now: the nodes send it to each other (node 127.0.0.1:PORT said MOVED 300 127.0.0.1:PORT), node 127.0.0.1:PORT (127.0.0.1:PORT), server pool alpha: the command was answered; try again
