--TEST--
An answer nobody asked for is never delivered, and its connection is not used again
--FILE--
<?php
require __DIR__ . '/lab.inc';

function pool_of(string $script): OneHop\Redis
{
    return new OneHop\Redis('alpha', lab_config(['127.0.0.1:' . lab_node($script) . ':1 odd'], ['timeout' => 5000]));
}

/* A node notes when it has sent what nobody asked for: then it is here, however busy the machine is. */
$note = 'touch("' . Lab::$directory . '/surplus-$words[1]");';
$await = function (string $file) {
    for ($i = 0; $i < 3000 && !file_exists(Lab::file($file)); $i++) {
        usleep(10000);
    }
    usleep(20000);
};

echo "-- two answers at once\n";
$redis = pool_of('while ($words = $node->command()) { $node->send("+first $words[1]\r\n+second $words[1]\r\n"); }');
lab_tell(fn () => $redis->get('a'));
lab_tell(fn () => $redis->get('b'));

echo "-- a second answer a little later\n";
$redis = pool_of('while ($words = $node->command()) { $node->value("first $words[1]"); usleep(20000); $node->value("second"); ' . $note . ' }');
lab_tell(fn () => $redis->get('a'));
$await('surplus-a');
lab_tell(fn () => $redis->get('b'));
$await('surplus-b');
lab_tell(fn () => $redis->pipeline()->get('c')->exec());

echo "-- an answer before the question, on a connection that idles\n";
$redis = pool_of('$words = $node->command(); $node->value("value of $words[1]"); usleep(20000); $node->value("too early"); ' . str_replace('surplus-', 'early-', $note) . ' $node->serve();');
lab_tell(fn () => $redis->get('a'));
$await('early-a');
lab_tell(fn () => $redis->get('b'));
?>
--EXPECT--
-- two answers at once
OneHop\ProtocolViolation, node odd, may have executed: true
  The node broke the protocol (a reply that nobody asked for), node odd (127.0.0.1:PORT), server pool alpha: the command may have executed; check what listens there
OneHop\ProtocolViolation, node odd, may have executed: true
  The node broke the protocol (a reply that nobody asked for), node odd (127.0.0.1:PORT), server pool alpha: the command may have executed; check what listens there
-- a second answer a little later
string(7) "first a"
string(7) "first b"
array(1) {
  [0]=>
  string(7) "first c"
}
-- an answer before the question, on a connection that idles
string(10) "value of a"
string(10) "value of b"
