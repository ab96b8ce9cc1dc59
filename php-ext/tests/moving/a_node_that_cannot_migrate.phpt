--TEST--
Keys also move where MIGRATE is not allowed, and where nodes send each other keys
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/moving.inc';

/* By hand, with the time to live. Both rings have all nodes: a MIGRATE each way would wait. */
$numbers = range(0, 19);
$check = static function (array $old, array $ours) use ($numbers) {
    foreach ($numbers as $i) {
        $old[0]->set("k$i", $i);
        $old[0]->setex("t$i", 1000, $i);
    }
    $right = 0;
    foreach ($numbers as $i) {
        $right += $ours[0]->incr("k$i") === $i + 1;
        $right += $ours[0]->append("t$i", '!') > 1 && abs($ours[0]->ttl("t$i") - 990) < 12;
    }
    return $right === 2 * count($numbers);
};
$ports = [lab_redis(), lab_redis(), lab_redis()];
lab_show('another hash', $check(
    [moving_client($ports, [], ['distribution' => 'modula', 'hash' => 'md5'])],
    [moving_client($ports, $ports, [
        'moving_from_distribution' => 'modula', 'moving_from_hash' => 'md5',
    ])],
));

/* Renamed. The first key of a node learns it. */
$ports = [lab_redis('--rename-command', 'MIGRATE', ''), lab_redis(), lab_redis()];
lab_show('renamed', $check(
    [moving_client([$ports[0]])],
    [moving_client($ports, [$ports[0]])],
));

/* With a password, which MIGRATE sends. */
$options = ['--requirepass', 'secret'];
$ports = [lab_redis(...$options), lab_redis(...$options)];
lab_show('with a password', $check(
    [moving_client([$ports[0]], [], ['redis_auth' => 'secret'])],
    [moving_client([$ports[1]], [$ports[0]], ['redis_auth' => 'secret'])],
));

/* Nothing is allowed: the error is the answer, and nothing was executed. */
$plain = lab_plain($ports[0]);
$plain->auth('secret');
$plain->flushAll();
$plain->rawCommand('ACL', 'SETUSER', 'default', '-migrate', '-dump');
$ours = moving_client([$ports[1]], [$ports[0]], ['redis_auth' => 'secret']);
lab_tell(fn () => $ours->incr('x'));
lab_tell(fn () => $ours->pipeline()->incr('x')->set('y', 1)->exec());
?>
--EXPECTF--
another hash: true
renamed: true
with a password: true
RedisException: NOPERM %s
OneHop\NodeDown, node %s, may have executed: false
  A key could not be moved to its new node: %s
