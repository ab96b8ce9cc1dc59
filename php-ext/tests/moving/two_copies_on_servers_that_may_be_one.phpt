--TEST--
Of two copies of a key none is removed if INFO names no run_id: the servers may be one
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/moving.inc';

/* By the file of before and by this one it would be the only copy. */
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
OneHop\NodeDown, node node-0, may have executed: false
  A key that is being moved is on its old and its new node, and INFO shows no run_id, so both may be one server%s
asked for: ["MIGRATE","INFO"]
asked for: ["INFO"]
