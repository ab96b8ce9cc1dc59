<?php

/*
 * Three objects with three databases of a Redis Cluster that has COUNT of them. Databases.java is
 * the same in Java. If the cluster has only one database, it refuses all others.
 *
 *     php -d extension=onehop.so databases.php CONFIG COUNT
 *
 * Prints what is wrong.
 */

[, $config, $count] = $argv;

function expect(string $what, mixed $expected, mixed $seen): void
{
    if ($seen !== $expected) {
        echo "$what: ", json_encode($seen), ', not ', json_encode($expected), "\n";
    }
}

$objects = [];
foreach ($count > 1 ? [0, 1, $count - 1] : [0] as $database) {
    $redis = $objects[$database] = new OneHop\Redis('alpha', $config);
    expect("select $database", true, $redis->select($database));
}
$keys = array_map(fn ($i) => "key:$i", range(0, 29));
foreach ($objects as $database => $redis) {
    $value = "of $database";
    $redis->mset(array_fill_keys(array_slice($keys, 0, 20), $value));
    $pipeline = $redis->pipeline();
    array_map(fn ($key) => $pipeline->set($key, $value), array_slice($keys, 20));
    $pipeline->exec();
    $redis->multi()->append($keys[3], '')->exec();
    $redis->rPush('{key:4}:list', $value);
}
foreach ($objects as $database => $redis) {
    $value = "of $database";
    $found = [];
    for ($at = null; ($some = $redis->scan($at, 'key:*')) !== false;) {
        array_push($found, ...$some);
    }
    $redis->watch($keys[4]);
    expect("in $database", [
        $value, [$value], [$value], ['{key:4}:list', $value], 30, 30,
    ], [
        $redis->get($keys[5]), array_values(array_unique($redis->mget($keys))),
        $redis->multi()->get($keys[4])->exec(), $redis->blPop(['{key:4}:list'], 10),
        count(array_unique($found)), $redis->dbSize(),
    ]);
}
$last = array_key_last($objects);
$redis = $objects[$last];
expect('a database too many', false, $redis->select((int) $count));
$reason = $count > 1 ? 'ERR DB index is out of range' : 'ERR SELECT is not allowed in cluster mode';
expect('why', $reason, rtrim((string) $redis->getLastError(), "\0"));
expect('where it is then', ["of $last", (int) $last], [$redis->get($keys[6]), $redis->getDbNum()]);
$redis->flushDb();
foreach ($objects as $database => $redis) {
    expect("$database at the end", $database === $last ? 0 : 30, $redis->dbSize());
}
