--TEST--
Batches, split commands, transactions and WATCH keep their order and their replies while keys move
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/moving.inc';

$ports = array_map(static fn () => lab_redis(), range(0, 4));
$numbers = range(0, 29);
$fill = static function (string $prefix) use ($ports, $numbers) {
    $old = moving_client(array_slice($ports, 0, 2));
    foreach ($numbers as $i) {
        $old->set("$prefix$i", $i);
    }
};
$ours = moving_client(array_slice($ports, 0, 4), array_slice($ports, 0, 2));

/* Reads alone, of keys at the old owner, at the owner, and at neither. */
$fill('a');
$keys = array_merge(...array_map(static fn ($i) => ["a$i", "none$i"], $numbers));
$wanted = array_merge(...array_map(static fn ($i) => ["$i", false], $numbers));
lab_show('mget', $ours->mget($keys) === $wanted);
lab_show('exists', $ours->exists($keys) === count($numbers));
$pipe = $ours->pipeline();
foreach ($keys as $key) {
    $pipe->get($key);
}
lab_show('a pipeline of reads', $pipe->exec() === $wanted);

/* Writes and reads of the same keys, in the order of the caller. */
$fill('b');
$pipe = $ours->pipeline();
foreach ($numbers as $i) {
    $pipe->get("b$i")->incr("b$i")->get("b$i")->del("b$i")->get("b$i")->set("b$i", 'x')->get("b$i");
    $pipe->get("c$i")->set("c$i", 'v');
}
$replies = array_chunk($pipe->exec(), 9);
lab_show('a pipeline of writes and reads', $replies === array_map(
    static fn ($i) => ["$i", $i + 1, (string) ($i + 1), 1, false, true, 'x', false, true],
    $numbers,
));

/* Split commands that write. */
$fill('d');
lab_show('mset', $ours->mset(array_fill_keys(array_map(fn ($i) => "d$i", $numbers), 'new')));
lab_show('del', $ours->del(array_map(fn ($i) => "d$i", $numbers)) === count($numbers));
$left = 0;
foreach ($ports as $port) {
    $left += count(moving_found($port, array_map(fn ($i) => "d$i", $numbers)));
}
lab_show('nothing comes back', $left);

/* Transactions, with and without WATCH. */
$fill('e');
$right = 0;
foreach ($numbers as $i) {
    $ours->watch("e$i");
    $value = $ours->get("e$i");
    $replies = $ours->multi()->incrBy("e$i", 10)->get("e$i")->exec();
    $right += [$value, $replies] === ["$i", [$i + 10, (string) ($i + 10)]];
}
lab_show('transactions', $right === count($numbers));
$fill('f');
$pipe = $ours->pipeline();
foreach ($numbers as $i) {
    $pipe->multi()->incr("f$i")->get("f$i")->exec();
}
lab_show('in a pipeline', $pipe->exec() === array_map(
    static fn ($i) => [$i + 1, (string) ($i + 1)],
    $numbers,
));

/* SCAN finds each key, and FLUSHDB leaves none. */
$fill('g');
$found = [];
$iterator = null;
while (($some = $ours->scan($iterator, 'g*')) !== false) {
    $found = array_merge($found, $some);
}
lab_show('scan', count(array_unique($found)) === count($numbers));
lab_show('keys', count($ours->keys('g*')) === count($numbers));
lab_show('flushDB', $ours->flushDB());
lab_show('dbSize', $ours->dbSize());

/* A batch holds the only connection of each node while the other node gives its keys. */
$two = array_slice($ports, 0, 2);
$old = moving_client($two, [], ['distribution' => 'modula']);
$keys = array_map(static fn ($i) => "h$i", $numbers);
$old->mset(array_combine($keys, $numbers));
$few = moving_client($two, $two, ['pool_size' => 1, 'moving_from_distribution' => 'modula']);
$pipe = $few->pipeline();
foreach ($keys as $key) {
    $pipe->incr($key)->get("none-$key");
}
$replies = array_chunk($pipe->exec(), 2);
lab_show('one connection', $replies === array_map(static fn ($i) => [$i + 1, false], $numbers));
$few->watch('h0');
$replies = $few->multi()->incr('h0')->exec();
lab_show('in a transaction', $replies);
?>
--EXPECT--
mget: true
exists: true
a pipeline of reads: true
a pipeline of writes and reads: true
mset: true
del: true
nothing comes back: 0
transactions: true
in a pipeline: true
scan: true
keys: true
flushDB: true
dbSize: 0
one connection: true
in a transaction: [2]
