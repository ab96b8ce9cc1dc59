--TEST--
A node that sends its answer byte by byte cannot outlast the deadline
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/* The answer takes a minute: much longer than a busy machine needs to notice a deadline. */
$port = lab_node('$node->command(); $node->drip("$600\r\n" . str_repeat("x", 600) . "\r\n", 100);');
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 drip"], ['timeout' => 250]));
$time = lab_time(fn () => lab_tell(fn () => $redis->get('key')));
var_dump($time >= 249, $time < 30000);
$time = lab_time(fn () => lab_tell(fn () => $redis->pipeline()->get('key')->exec()));
var_dump($time >= 249, $time < 30000);
?>
--EXPECT--
OneHop\DeadlineExceeded, node drip, may have executed: true
  Only part of the answer arrived within 250 ms, node drip (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
bool(true)
bool(true)
OneHop\DeadlineExceeded, node drip, may have executed: true
  Only part of the answer arrived within 250 ms, node drip (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
bool(true)
bool(true)
