--TEST--
A node is used even if its handshake outlasts the timeout, or each answer takes over half of it
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/* A node that answers AUTH after $auth ms (null: when the test says so), others after $other ms. */
$node = static fn (?int $auth, int $other) => lab_node('
    for words in commands():
        if words[0] != "AUTH":
            time.sleep(test.other / 1000)
            value("value of " + words[1])
            continue
        wait("go on") if test.auth is None else time.sleep(test.auth / 1000)
        reply("+OK")', ['auth' => $auth, 'other' => $other]);
$config = static fn (int $port, int $timeout) => lab_config(
    [$port],
    ['redis_auth' => 'secret', 'timeout' => $timeout, 'server_failure_limit' => 100],
);
$client = static fn (int $port, int $timeout)
    => new OneHop\Redis('alpha', $config($port, $timeout));
$connections = static fn (int $port) => count(preg_grep('/ AUTH /', lab_commands($port)));

echo "the handshake takes longer than the timeout\n";
$redis = $client($port = $node(null, 0), 3000);
lab_tell(static fn () => $redis->get('key'));
lab_go($port, 'go on');
lab_tell(static fn () => $redis->get('key'));
lab_show('connections', $connections($port));

echo "each answer takes more than half of the timeout\n";
$redis = $client($port = $node(3000, 3000), 4800);
lab_tell(static fn () => $redis->get('key'));
lab_tell(static fn () => $redis->set('key', 'value'));
lab_tell(static fn () => $redis->get('key'));
lab_show('connections', $connections($port));

echo "without an answer a connection is given up\n";
$redis = $client($port = $node(null, 0), 900);
foreach ([1, 2, 3] as $i) {
    $took = lab_time(static fn () => lab_tell(static fn () => $redis->get('key')));
    lab_show('waited', $took > 890);
}
lab_show('connections', $connections($port));

echo "a connection that the node has closed meanwhile is not used any more\n";
$redis = $client($port = lab_node('
    for words in commands():
        if words[0] == "AUTH" and number == 1:
            wait("go on")
            end()
            tell("closed")
            close()
        reply("+OK") if words[0] == "AUTH" else value("value")'), 3000);
lab_tell(static fn () => $redis->get('key'));
lab_go($port, 'go on');
lab_await($port, 'closed');
lab_tell(static fn () => $redis->get('key'));
lab_show('connections', $connections($port));

echo "a worker keeps a connection that is still opening for the next request\n";
$page = lab_fpm();
$query = ['config' => $config($port = $node(null, 0), 3000)];
$ask = static fn () => $page('<?php
    try {
        echo (new OneHop\Redis("alpha", $_GET["config"]))->get("key"), "\n";
    } catch (OneHop\Exception $e) {
        echo get_class($e), $e->mayHaveExecuted() ? ", may have executed\n" : ", not sent\n";
    }', $query);
echo $ask();
lab_go($port, 'go on');
echo $ask();
lab_show('connections', $connections($port));
?>
--EXPECT--
the handshake takes longer than the timeout
OneHop\DeadlineExceeded, node node-0, may have executed: false
  No connection within 3000 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; try again
value: "value of key"
connections: 1
each answer takes more than half of the timeout
OneHop\DeadlineExceeded, node node-0, may have executed: true
  No answer within 4800 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
OneHop\DeadlineExceeded, node node-0, may have executed: false
  The connection was ready too late to get an answer within 4800 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; try again; if the node is always this slow, raise the timeout
value: "value of key"
connections: 2
without an answer a connection is given up
OneHop\DeadlineExceeded, node node-0, may have executed: false
  No connection within 900 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; try again
waited: true
OneHop\DeadlineExceeded, node node-0, may have executed: false
  No connection within 900 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; try again
waited: true
OneHop\DeadlineExceeded, node node-0, may have executed: false
  No connection within 900 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; try again
waited: true
connections: 2
a connection that the node has closed meanwhile is not used any more
OneHop\DeadlineExceeded, node node-0, may have executed: false
  No connection within 3000 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; try again
value: "value"
connections: 2
a worker keeps a connection that is still opening for the next request
OneHop\DeadlineExceeded, not sent
value of key
connections: 1
