--TEST--
A connection that died idle is replaced; if it dies under a command, only a read is sent again
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * Each connection answers its first command and closes after it has read the second one. The log
 * shows which commands came twice. The answer is late: if a call ends in the same millisecond in
 * which another connection fails, the connection of that call is not used again.
 */
const ONCE = '
    words = command()
    time.sleep(0.005)
    value("value of " + words[1])
    command()';
$port = lab_node(ONCE);
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 fickle"]));
lab_tell(fn () => $redis->get('a'));
lab_tell(fn () => $redis->get('b'));
lab_tell(fn () => $redis->incr('c'));
lab_tell(fn () => $redis->get('d'));
lab_tell(fn () => $redis->pipeline()->get('e')->exec());
lab_tell(fn () => $redis->pipeline()->get('f')->set('g', 1)->exec());
echo implode("\n", lab_commands($port)), "\n";

echo "-- closed while idle: nothing was sent, so every command may be sent again\n";
$port = lab_node('
    for _ in range(2):
        words = command()
        reply(":7")
        if words[0] == "SET":
            end()
            tell("closed")
            close()');
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 fickle"]));
lab_tell(fn () => $redis->set('a', 1));
lab_await($port, 'closed');
lab_tell(fn () => $redis->incr('b'));
echo implode("\n", lab_commands($port)), "\n";

echo "-- sent once, then the node dies: the first attempt may have executed\n";
$port = lab_node('
    command()
    value("x")
    command()
    refuse()');
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 fickle"]));
$redis->get('a');
lab_tell(fn () => $redis->get('b'));

echo "-- OPT_MAX_RETRIES 0: nothing is sent again\n";
$port = lab_node(ONCE);
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 fickle"]));
$redis->setOption(Redis::OPT_MAX_RETRIES, 0);
lab_tell(fn () => $redis->get('a'));
lab_tell(fn () => $redis->get('b'));
echo implode("\n", lab_commands($port)), "\n";
?>
--EXPECT--
value: "value of a"
value: "value of b"
OneHop\NodeDown, node fickle, may have executed: true
  Connection closed by the node, node fickle (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
value: "value of d"
value: ["value of e"]
OneHop\NodeDown, node fickle, may have executed: true
  Connection closed by the node, node fickle (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
1 GET a
1 GET b
2 GET b
2 INCR c
3 GET d
3 GET e
4 GET e
4 GET f
-- closed while idle: nothing was sent, so every command may be sent again
value: false
value: 7
1 SET a 1
2 INCR b
-- sent once, then the node dies: the first attempt may have executed
OneHop\NodeDown, node fickle, may have executed: true
  Connection refused while connecting, node fickle (127.0.0.1:PORT), server pool alpha: the command may have executed; check that the node is running and reachable
-- OPT_MAX_RETRIES 0: nothing is sent again
value: "value of a"
OneHop\NodeDown, node fickle, may have executed: true
  Connection closed by the node, node fickle (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
1 GET a
1 GET b
