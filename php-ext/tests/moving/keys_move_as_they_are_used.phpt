--TEST--
While the ring changes, every command finds keys of every type, as on one server
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/parity.inc';
require __DIR__ . '/moving.inc';

$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];
$old = moving_client(array_slice($ports, 0, 2), [], ['hash_tag' => '"{}"']);
$plain = lab_plain(lab_redis());
$numbers = range(0, 11);
foreach ([$old, $plain] as $redis) {
    foreach ($numbers as $i) {
        $redis->setex("s$i", 1000 + $i, "value $i");
        $redis->set("n$i", $i);
        $redis->hMSet("h$i", ['a' => $i, 'b' => 'x']);
        $redis->rPush("l$i", 'a', 'b', $i);
        $redis->sAdd("set$i", 'a', 'b');
        $redis->zAdd("z$i", 1, 'a', 2, 'b');
        $redis->xAdd("x$i", '1-1', ['f' => $i]);
        $redis->pfAdd("p$i", ['a', 'b']);
        $redis->set("{g$i}one", "1$i");
        $redis->sAdd("{g$i}two", 'x');
    }
}
$ours = moving_client($ports, array_slice($ports, 0, 2), ['hash_tag' => '"{}"']);

/* A command that reads leaves the keys where they are, also when a key is missing. */
$reads = $writes = [];
foreach ($numbers as $i) {
    array_push(
        $reads,
        ['get', "s$i"],
        ['ttl', "s$i"],
        ['ttl', "n$i"],
        ['strlen', "s$i"],
        ['hGetAll', "h$i"],
        ['hGet', "h$i", 'a'],
        ['hGet', "h$i", 'none'],
        ['hMGet', "h$i", ['none', 'a']],
        ['hMGet', "h$i", ['no', 'none']],
        ['lRange', "l$i", 0, -1],
        ['lRange', "l$i", 5, 9],
        ['sCard', "set$i"],
        ['sIsMember', "set$i", 'none'],
        ['zRange', "z$i", 0, -1, true],
        ['zScore', "z$i", 'b'],
        ['xRange', "x$i", '-', '+'],
        ['type', "z$i"],
        ['exists', "s$i"],
        ['pfCount', "p$i"],
        ['getRange', "s$i", 0, 2],
        ['bitpos', "n$i", 1],
        ['dump', "no$i"],
        ['get', "no$i"],
        ['type', "no$i"],
        ['ttl', "no$i"],
        ['bitpos', "no$i", 1],
        ['xInfo', 'STREAM', "no$i"],
        ['mget', ["s$i", "no$i", "n$i"]],
        ['object', 'encoding', "n$i"],
    );
    array_push(
        $writes,
        ['incr', "n$i"],
        ['append', "s$i", '!'],
        ['ttl', "s$i"],
        ['set', "new$i", 'v', ['nx']],
        ['set', "s$i", 'no', ['nx']],
        ['hSet', "h$i", 'c', 1],
        ['hGetAll', "h$i"],
        ['lPop', "l$i"],
        ['blPop', ["l$i"], 1],
        ['sRem', "set$i", 'a'],
        ['sCard', "set$i"],
        ['zIncrBy', "z$i", 5, 'a'],
        ['zRange', "z$i", 0, -1, true],
        ['xAdd', "x$i", '2-1', ['f' => 'g']],
        ['xLen', "x$i"],
        ['expire', "z$i", 500],
        ['persist', "z$i"],
        ['rename', "{g$i}one", "{g$i}three"],
        ['get', "{g$i}three"],
        ['get', "{g$i}one"],
        ['eval', 'return redis.call("SCARD", KEYS[1])', ["{g$i}two"], 1],
        ['set', "s$i"],
        ['setex', "p$i", 0, 'refused'],
        ['pfCount', "p$i"],
        ['sInter', ["set$i", "set$i"]],
        ['hScan', "h$i", null],
        ['del', "l$i"],
        ['exists', "l$i"],
        ['lRange', "l$i", 0, -1],
    );
}
$walk = static fn (Redis $redis, array $calls) => array_map(
    static fn ($call) => parity_tell($redis, $call),
    $calls,
);
lab_show('reads', parity_compare($walk($plain, $reads), $walk($ours, $reads)));
$keys = array_map(static fn ($i) => "s$i", $numbers);
$moved = static fn () => array_merge(
    moving_found($ports[2], $keys),
    moving_found($ports[3], $keys),
);
$left = static fn () => array_merge(
    moving_found($ports[0], $keys),
    moving_found($ports[1], $keys),
);
lab_show('still at old owners', $moved() === [] && count($left()) === count($keys));
lab_show('writes', parity_compare($walk($plain, $writes), $walk($ours, $writes)));
lab_show('moved', count($moved()) > 0);
lab_show('no key is twice, and none is lost', count($moved()) + count($left()) === count($keys));

/* The new ring alone finds all keys. */
foreach ($numbers as $i) {
    foreach (["s$i", "n$i", "h$i", "z$i", "x$i", "new$i", "{g$i}three"] as $key) {
        $ours->expire($key, 900);
    }
}
$new = moving_client($ports, [], ['hash_tag' => '"{}"']);
$keys = array_merge(...array_map(
    static fn ($i) => ["s$i", "n$i", "h$i", "z$i", "x$i", "new$i", "{g$i}three"],
    $numbers,
));
lab_show('found by the new ring', count(array_filter($keys, $new->exists(...))) === count($keys));

echo "commands that only the nodes know, and renamed ones\n";
$options = ['--loadmodule', lab_module(), '--rename-command', 'INCR', 'PLUS'];
$ports = [lab_redis(...$options), lab_redis(...$options)];
$old = moving_client([$ports[0]]);
$ours = moving_client([$ports[1]], [$ports[0]]);
$old->set('n', 1);
$old->set('text', 'old');
lab_show('renamed', $ours->rawCommand('PLUS', 'n'));
lab_show('a module reads', $ours->rawCommand('ONEHOP.GET', 'text'));
lab_show('a module writes', $ours->rawCommand('ONEHOP.SET', 'text', 'new'));
lab_show('and reads', $ours->get('text'));
lab_show('left', moving_found($ports[0], ['n', 'text']));
/* A node that the caller has chosen gets the command as it is. */
$old->set('other', 1);
[, $name] = explode(' ', moving_names([$ports[1]])[0]);
lab_show('chosen', $ours->onNode($name, 'GET', 'other'));
?>
--EXPECT--
reads: true
still at old owners: true
writes: true
moved: true
no key is twice, and none is lost: true
found by the new ring: true
commands that only the nodes know, and renamed ones
renamed: 2
a module reads: "old"
a module writes: true
and reads: "new"
left: []
chosen: false
