--TEST--
While an old owner is dead, calls fail unexecuted, but only for keys that it may still have
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/moving.inc';

[$dead, $process] = lab_redis_process();
$alive = lab_redis();
$new = lab_redis();
$old = moving_client([$dead, $alive], [], ['distribution' => 'modula', 'hash' => 'crc16']);
$keys = array_map(static fn ($i) => "k$i", range(0, 19));
foreach ($keys as $key) {
    $old->set($key, 'v');
}
$of_dead = moving_found($dead, $keys);
$others = array_values(array_diff($keys, $of_dead));
$ours = moving_client([$alive, $new], [$dead, $alive], [
    'distribution' => 'modula',
    'hash' => 'crc16',
]);
[$moved, $lost] = $of_dead;
$ours->append($moved, '!');
Lab::stop($process);

/* Keys of the other old owner, and those that have moved, go on. */
$right = 0;
foreach ($others as $key) {
    $right += $ours->get($key) === 'v' && $ours->append($key, '!') === 2;
}
lab_show('others', $right === count($others));
lab_show('moved', [$ours->get($moved), $ours->append($moved, '?')]);

/* Calls for the other keys end in a clear error. */
lab_tell(fn () => $ours->get($lost));
lab_tell(fn () => $ours->set($lost, 'w'));

/* Batches do the same, on the express lane and by phpredis. */
[$other] = $others;
$batch = static function (OneHop\Redis $pipe) {
    try {
        return $pipe->exec();
    } catch (OneHop\PartialBatch $e) {
        return [...array_map(
            static fn ($reply) => $reply instanceof OneHop\NodeDown
                ? [$reply->getNode(), $reply->mayHaveExecuted()]
                : $reply,
            $e->getReplies(),
        ), array_keys($e->getFailures())];
    }
};
lab_show('asked', $batch($ours->pipeline()->get($moved)->get($lost)->get($other)));
lab_show('brought', $batch($ours->pipeline()->set($moved, 'a')->set($lost, 'b')->get($moved)));
lab_show('after a read', $batch($ours->pipeline()->get($lost)->append($lost, 'c')->get($moved)));
lab_show('by phpredis', $batch(
    $ours->pipeline()->getRange($moved, 0, -1)->hGetAll($lost)->hSet($lost, 'f', 'g')->type($moved),
));
lab_show('in a transaction', $batch($ours->pipeline()->multi()->get($moved)->get($lost)->exec()
    ->get($other)));
lab_tell(fn () => $ours->pipeline()->get($lost)->set($lost, 'w')->exec());
lab_tell(fn () => $ours->mGet([$moved, $lost]));

/* Both nodes of a key that moves are shown. */
$text = "alpha: {servers: ['a:1', 'b:1', 'c:1'], moving_from: ['a:1']}";
foreach (['x', 'k0'] as $key) {
    $told = OneHop\Topology::fromText('alpha', $text)->explain($key);
    lab_show($key, [$told['node']->name, isset($told['from']) ? $told['from']->name : null]);
}
?>
--EXPECT--
others: true
moved: ["v!",3]
OneHop\NodeDown, node node-0, may have executed: false
  While a key moved from or to node-0: Connection refused while connecting, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node node-0, may have executed: false
  While a key moved from or to node-0: Connection refused while connecting, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
asked: ["v!?",["node-0",false],"v!",["node-0"]]
brought: [true,["node-0",false],"a",["node-0"]]
after a read: [["node-0",false],["node-0",false],"a",["node-0"]]
by phpredis: ["a",["node-0",false],["node-0",false],1,["node-0"]]
in a transaction: [["node-0",false],"v!",["node-0"]]
OneHop\NodeDown, node node-0, may have executed: false
  While a key moved from or to node-0: Connection refused while connecting, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node node-0, may have executed: false
  While a key moved from or to node-0: Connection refused while connecting, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
x: ["a:1",null]
k0: ["c:1","a:1"]
