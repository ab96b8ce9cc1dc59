--TEST--
An answer that arrives after the deadline is never given to another command
--DESCRIPTION--
No second try: it looks for replies of other commands.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * Each connection answers its first command after the client has given up, and all others
 * immediately.
 */
$port = lab_node('
    key = command()[1]
    wait("given up " + key)
    value("late value of " + key)
    tell("sent " + key)
    for words in commands():
        if words[1] == "close":
            close()
        value("value of " + words[1])');
$gives_up = static fn (string $key) => lab_go($port, "given up $key");
$is_sent = static fn (string $key) => lab_await($port, "sent $key");
$redis = new OneHop\Redis(
    'alpha',
    lab_config(["127.0.0.1:$port:1 late"], ['timeout' => 500, 'server_failure_limit' => 1000]),
);
$seen = [];
for ($i = 0; $i < 5; $i++) {
    try {
        $seen[] = $redis->get("a$i");
    } catch (OneHop\DeadlineExceeded) {
        $seen[] = 'late';
    }
    $gives_up("a$i");
    $is_sent("a$i");
}
echo implode(' ', $seen), "\n";
try {
    $redis->pipeline()->get('b1')->get('b2')->exec();
} catch (OneHop\DeadlineExceeded) {
    echo "late\n";
}
$gives_up('b1');
$is_sent('b1');

/* With enough time the very next call gets its own answers while the late one is in flight. */
for ($i = 0; $i < 3; $i++) {
    $gives_up("d$i");
    $redis->setOption(Redis::OPT_READ_TIMEOUT, 0.3);
    try {
        $redis->get("c$i");
    } catch (OneHop\DeadlineExceeded) {
        $redis->setOption(Redis::OPT_READ_TIMEOUT, 20);
        $gives_up("c$i");
        echo $redis->get("d$i"), ', ', $redis->get("e$i"), ', ',
            implode(' ', $redis->pipeline()->get('f')->get('g')->exec()), "\n";
    }
    /* Leaves the good connection in the middle of a reply: the next round needs a new one. */
    try {
        $redis->setOption(Redis::OPT_READ_TIMEOUT, 0.3);
        $redis->get('close');
    } catch (OneHop\DeadlineExceeded) {
    }
}
$seen = [];
foreach (lab_commands($port) as $line) {
    [$connection, , $key] = explode(' ', $line);
    $seen[$connection][] = $key;
}
$is_used_again = static fn (array $keys) => preg_match('/^[abc]/', $keys[0])
    && count($keys) > ($keys[0] === 'b1' ? 2 : 1);
echo 'connections that got a command after a late answer: ',
    count(array_filter($seen, $is_used_again)), "\n";
?>
--EXPECT--
late late late late late
late
late value of d0, value of e0, value of f value of g
late value of d1, value of e1, value of f value of g
late value of d2, value of e2, value of f value of g
connections that got a command after a late answer: 0
