--TEST--
If a changed file has another address for a node that hangs, waiting calls go to that address
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/processes.inc';

[$old, $process] = lab_redis_process();
$new = lab_redis();
$other = lab_redis();
$config = lab_config([$old, $other]);
['node-0' => $key, 'node-1' => $elsewhere] = lab_key_of_each($config);
foreach ([$old, $new] as $port) {
    lab_plain($port)->set($key, $port === $new ? 'new' : 'old');
}
lab_plain($other)->set($elsewhere, 'other');

$callers = new LabCallers($config);
/* The backlog of a process that is stopped takes connections, so these calls are sent and wait. */
$callers->start('a read', "\$redis->get('$key')", "\$redis->get('$key')");
$callers->start('a read over a new connection', "\$redis->get('$key')");
$callers->start(
    'a batch of two nodes',
    "\$redis->pipeline()->get('$key')->get('$elsewhere')->exec()",
);
$callers->start('keys of two nodes', "\$redis->mGet(['$key', '$elsewhere'])");
$short = lab_config([$old, $other], ['timeout' => 5000], 'short.yml');
$callers->start(
    'a write that was sent',
    "\$redis->append('$key', '!')",
    "\$redis->get('$key')",
    $short,
);
$callers->awaitReady();
Lab::signal($process, 19);
$callers->go();
usleep(1500000); /* So all have sent what they send. */
lab_config([$new, $other], [], basename($config));
lab_config([$new, $other], ['timeout' => 5000], 'short.yml');
$callers->tell();
lab_show('at the new node', lab_plain($new)->get($key));
?>
--EXPECT--
a read: "new"
a read over a new connection: "new"
a batch of two nodes: ["new","other"]
keys of two nodes: ["new","other"]
a write that was sent: OneHop\DeadlineExceeded, may have executed
at the new node: "new"
