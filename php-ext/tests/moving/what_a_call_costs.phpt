--TEST--
What a key that moves costs: the commands that its old owner and its owner receive
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/moving.inc';

[$first, $second] = [lab_redis(), lab_redis()];
$old = moving_client([$first], [], ['distribution' => 'modula']);
/* By modula every second key of the only node moves. */
$ours = moving_client([$first, $second], [$first], ['distribution' => 'modula']);
$servers = ['old' => lab_plain($first), 'owner' => lab_plain($second)];
$keys = array_map(static fn ($i) => "k$i", range(0, 39));
foreach ($keys as $i => $key) {
    $old->set($key, $i);
    $ours->persist($key);
}
$moves = moving_found($second, $keys);
[$stays] = moving_found($first, $keys);
foreach ($moves as $i => $key) {
    $old->set($key, $i);
}
$servers['owner']->flushAll();

/** What each server executes for a call. */
$count = static function (callable $call) use ($servers): array {
    foreach ($servers as $server) {
        $server->rawCommand('CONFIG', 'RESETSTAT');
    }
    $call();
    return array_map(static function (Redis $server) {
        $counts = [];
        foreach ($server->info('commandstats') as $name => $counted) {
            $name = substr($name, strlen('cmdstat_'));
            if (!preg_match('/^(info|config|client|select|hello|ping)/', $name)) {
                $counts[$name] = (int) sscanf($counted, 'calls=%d')[0];
            }
        }
        ksort($counts);
        return urldecode(http_build_query($counts, '', ' '));
    }, $servers);
};

lab_show('a read that stays', $count(fn () => $ours->get($stays)));
lab_show('a write that stays', $count(fn () => $ours->incr($stays)));
lab_show('a read found at the old owner', $count(fn () => $ours->get($moves[0])));
lab_show('a write', $count(fn () => $ours->incr($moves[0])));
lab_show('a read found at the owner', $count(fn () => $ours->get($moves[0])));
lab_show('a write of a key that has moved', $count(fn () => $ours->incr($moves[0])));
$old->del($moves[1]);
lab_show('a read that finds nothing', $count(fn () => $ours->get($moves[1])));
lab_show('a batch of reads', $count(
    fn () => $ours->pipeline()->get($moves[2])->get($moves[0])->get($moves[3])->exec(),
));
lab_show('a batch of writes', $count(
    fn () => $ours->pipeline()->incr($moves[2])->get($moves[2])->incr($moves[3])->exec(),
));
lab_show('mGet', $count(fn () => $ours->mGet([$moves[0], $moves[4]])));
?>
--EXPECT--
a read that stays: {"old":"get=1","owner":""}
a write that stays: {"old":"incr=1","owner":""}
a read found at the old owner: {"old":"exists=1 get=1","owner":"get=1"}
a write: {"old":"migrate=1","owner":"incr=1 restore=1"}
a read found at the owner: {"old":"","owner":"get=1"}
a write of a key that has moved: {"old":"migrate=1","owner":"incr=1"}
a read that finds nothing: {"old":"exists=1 get=1","owner":"get=2"}
a batch of reads: {"old":"exists=2 get=2","owner":"get=3"}
a batch of writes: {"old":"migrate=2","owner":"get=1 incr=2 restore=2"}
mGet: {"old":"exists=1 mget=1","owner":"mget=1"}
