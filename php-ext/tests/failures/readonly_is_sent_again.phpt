--TEST--
A command that was answered READONLY goes to the node that the changed file names
--DESCRIPTION--
Not beneath valgrind: it races with the look at the file, once a second.
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/** A node, and a replica that has copied its data. */
$pair = static function (): array {
    $old = lab_redis('--repl-diskless-sync-delay', '0');
    return [$old, ...lab_replica($old)];
};
$other = lab_redis();

/** A client of a node that has just become a replica. The file has just changed if $is_changed. */
$replaced = static function (bool $is_changed, ?Closure $begin = null) use ($pair, $other): array {
    static $count = 0;
    [$old, $new, $id] = $pair();
    $name = 'replaced-' . $count++ . '.yml';
    $config = lab_config([$old, $other], [], $name);
    $redis = new OneHop\Redis('alpha', $config);
    ['node-0' => $key, 'node-1' => $elsewhere] = lab_key_of_each($config);
    $redis->set($key, 'before');
    while (lab_plain($new)->get($key) !== 'before') {
        usleep(1000);
    }
    if ($begin) {
        $begin($redis, $key);
    }
    lab_plain($new)->rawCommand('REPLICAOF', 'NO', 'ONE');
    lab_plain($old)->rawCommand('REPLICAOF', '127.0.0.1', (string) $new);
    $plain = [lab_plain($old), lab_plain($new)];
    if ($is_changed) {
        /* This call looks at the file. In the next second, others do so only after READONLY. */
        $redis->get($key);
        usleep(20000);
        lab_config([$new, $other], [], $name);
    }
    return [$redis, $key, $elsewhere, ...$plain, $id];
};

/** How many writes the node has refused. */
$refused = static function (Redis $plain): int {
    preg_match_all('/(?:rejected|failed)_calls=(\d+)/', implode(
        ',',
        $plain->info('commandstats'),
    ), $found);
    return array_sum($found[1]);
};

[$redis, $key, , $old, $new] = $replaced(true);
lab_show('set', $redis->set($key, 'after'));
lab_show('at the new node', $new->get($key));
$met = $refused($old);
usleep(200000);
lab_show('a later one', $redis->set($key, 'later'));
lab_show('goes there directly', $refused($old) === $met);

echo "a batch\n";
[$redis, $key, $elsewhere, $old, $new] = $replaced(true);
$batch = $redis->pipeline()->set($elsewhere, '1')->get($key)->set($key, '2')->incr($elsewhere)
    ->append($key, '3')->lLen($key)->exec();
lab_show('replies', $batch);
$met += $refused($old);
lab_show('at the new node', $new->get($key));

echo "split, raw, and a script\n";
[$redis, $key, $elsewhere, $old, $new] = $replaced(true);
lab_show('mset', $redis->mSet([$key => 'a', $elsewhere => 'b']));
[$redis, $key, $elsewhere, $old, $new] = $replaced(true);
lab_show('del', $redis->del($key, $elsewhere));
[$redis, $key, , $old, $new] = $replaced(true);
lab_show('raw', $redis->rawCommand('SET', $key, 'raw', 'GET'));
[$redis, $key, , $old, $new] = $replaced(true);
lab_show('eval', $redis->eval('return redis.call("APPEND", KEYS[1], "!")', [$key], 1));
lab_show('at the new node', $new->get($key));
/*
 * Some calls may have read the changed file first: on a busy machine a second may end at any time.
 */
lab_show('old nodes have refused writes', $met + $refused($old) > 0);

echo "a transaction\n";
[$redis, $key, , $old, $new] = $replaced(true, fn ($redis, $key) => $redis->watch($key));
lab_tell(fn () => $redis->multi()->set($key, 'multi')->exec());
lab_show('at the new node', $new->get($key));

echo "an unchanged file\n";
[$redis, $key, , $old] = $replaced(false);
lab_tell(fn () => $redis->set($key, 'after'));
lab_show('a read', $redis->get($key));
/* The median of eleven, because a busy machine may keep any of them waiting. */
$times = array_map(fn () => lab_time(fn () => $redis->set($key, 'after')), range(1, 11));
sort($times);
lab_show('time', $times[5] < 500);

echo "a new node that does not answer\n";
[$redis, $key, , , , $id] = $replaced(true);
Lab::stop($id);
try {
    $redis->set($key, 'after');
} catch (RedisException $e) {
    lab_show('was not executed', !$e instanceof OneHop\Exception || !$e->mayHaveExecuted());
}
?>
--EXPECT--
set: true
at the new node: "after"
a later one: true
goes there directly: true
a batch
replies: [true,"before",true,2,2,false]
at the new node: "23"
split, raw, and a script
mset: true
del: 2
raw: "before"
eval: 7
at the new node: "before!"
old nodes have refused writes: true
a transaction
RedisException: READONLY You can't write against a read only replica.
at the new node: "before"
an unchanged file
RedisException: READONLY You can't write against a read only replica.
a read: "before"
time: true
a new node that does not answer
was not executed: true
