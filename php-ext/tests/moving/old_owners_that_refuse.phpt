--TEST--
Keys move without MIGRATE, too; if an old owner refuses, its error is the answer
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/moving.inc';

/*
 * Keys move by DUMP and RESTORE, with their time to live. Both rings have all nodes, so a MIGRATE
 * in each direction would wait for the other one.
 */
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

/* MIGRATE is renamed. The first key of a node finds this out. */
$ports = [lab_redis('--rename-command', 'MIGRATE', ''), lab_redis(), lab_redis()];
lab_show('renamed', $check(
    [moving_client([$ports[0]])],
    [moving_client($ports, [$ports[0]])],
));

/* The nodes need a password, which MIGRATE sends. */
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

/* An error of a read is the answer, too, not a missing key. */
$refuses = ['--rename-command', 'MGET', '', '--rename-command', 'GET', ''];
[$from, $new, $other] = [lab_redis(...$refuses), lab_redis(), lab_redis()];
lab_plain($from)->set('a', 1);
$one = moving_client([$new], [$from]);
$two = moving_client([$new, $other], [$from]);
$tell = static function (OneHop\Redis $ours, callable $call) {
    $ours->clearLastError();
    return [$call($ours), strtok((string) $ours->getLastError(), ',')];
};
$keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
lab_show('get', $tell($one, fn ($ours) => $ours->get('a')));
lab_show('mGet', $tell($one, fn ($ours) => $ours->mGet(['a'])));
lab_show('mGet of several', $tell($one, fn ($ours) => $ours->mGet($keys)));
lab_show('of two nodes', $tell($two, fn ($ours) => $ours->mGet($keys)));
lab_show('in a batch', $tell($one, fn ($ours) => $ours->pipeline()->mGet($keys)->get('a')->exec()));

/*
 * If two nodes have the key and INFO names no run_id, neither copy is removed: the nodes may be one
 * server, with one copy.
 */
$script = '
    answers = {
        "PING": "+PONG\r\n",
        "MIGRATE": "-ERR Target instance replied with error: BUSYKEY Target key exists\r\n",
        "INFO": bulk("# Server\r\n"),
    }
    for words in commands():
        send(answers.get(words[0], ":1\r\n"))';
[$old, $owner] = [lab_node($script), lab_node($script)];
$redis = moving_client([$owner], [$old]);
lab_tell(fn () => $redis->incr('key'));
foreach ([$old, $owner] as $port) {
    lab_show('asked for', array_values(preg_grep('/MIGRATE|INFO|UNLINK|INCR/', array_map(
        static fn ($line) => explode(' ', $line)[1],
        lab_commands($port),
    ))));
}
?>
--EXPECTF--
another hash: true
renamed: true
with a password: true
RedisException: NOPERM %s
OneHop\NodeDown, node %s, may have executed: false
  A key could not be moved to its new node: %s
get: [false,"ERR unknown command 'GET'"]
mGet: [false,"ERR unknown command 'MGET'"]
mGet of several: [false,"ERR unknown command 'MGET'"]
of two nodes: [false,"ERR unknown command 'MGET'"]
in a batch: [[false,false],"ERR unknown command 'GET'"]
OneHop\NodeDown, node node-%d, may have executed: false
  A key that is being moved is on its old and its new node, and INFO shows no run_id, so both may be one server%s
asked for: ["MIGRATE","INFO"]
asked for: ["INFO"]
