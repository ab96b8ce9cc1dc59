--TEST--
While an old owner is dead, only keys that may be there fail, and nothing of them was executed
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

/* The rest has a clear error. */
lab_tell(fn () => $ours->get($lost));
lab_tell(fn () => $ours->set($lost, 'w'));
lab_tell(fn () => $ours->pipeline()->get($moved)->set($lost, 'w')->exec());

/* Both nodes of a key that moves are shown. */
$text = "alpha: {servers: ['a:1', 'b:1', 'c:1'], moving_from: ['a:1']}";
foreach (['x', 'k0'] as $key) {
    $told = OneHop\Topology::fromText('alpha', $text)->explain($key);
    lab_show($key, [$told['node']->name, isset($told['from']) ? $told['from']->name : null]);
}
?>
--EXPECTF--
others: true
moved: ["v!",3]
OneHop\NodeDown, node node-1, may have executed: false
  A key moves from or to node-0: Connection refused while connecting, node node-1 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node node-1, may have executed: false
  A key moves from or to node-0: Connection refused while connecting, node node-1 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
OneHop\NodeDown, node node-1, may have executed: false
  A key moves from or to node-0: Connection refused while connecting, node node-1 (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
x: ["a:1",null]
k0: ["c:1","a:1"]
