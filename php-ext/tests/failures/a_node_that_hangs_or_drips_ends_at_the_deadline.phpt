--TEST--
A node that never answers, or byte by byte, ends at the deadline
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

echo "-- it hangs: the command may have executed\n";
[$port, $id] = lab_redis_process();
$redis = new OneHop\Redis(
    'alpha',
    lab_config(["127.0.0.1:$port:1 hung"], ['timeout' => 1000, 'server_failure_limit' => 1000]),
);
$redis->set('key', 'value');
Lab::signal($id, SIGSTOP);
$time = lab_time(fn () => lab_tell(fn () => $redis->get('key')));
lab_tell(fn () => $redis->incr('n'));
lab_tell(fn () => $redis->pipeline()->get('key')->incr('n')->exec());
lab_tell(fn () => $redis->mget(['key', 'n']));
var_dump($time >= 999);
Lab::signal($id, SIGCONT);
lab_tell(fn () => $redis->get('key'));

echo "-- it sends its answer byte by byte\n";
/* The answer takes a minute: much longer than a busy machine needs to notice a deadline. */
$port = lab_node('
    command()
    drip("$600\r\n" + "x" * 600 + "\r\n", 100)');
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 drip"], ['timeout' => 250]));
$time = lab_time(fn () => lab_tell(fn () => $redis->get('key')));
var_dump($time >= 249, $time < 30000);
$time = lab_time(fn () => lab_tell(fn () => $redis->pipeline()->get('key')->exec()));
var_dump($time >= 249, $time < 30000);
?>
--EXPECT--
-- it hangs: the command may have executed
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 1000 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 1000 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 1000 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
OneHop\DeadlineExceeded, node hung, may have executed: true
  No answer within 1000 ms, node hung (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
bool(true)
value: "value"
-- it sends its answer byte by byte
OneHop\DeadlineExceeded, node drip, may have executed: true
  Only part of the answer arrived within 250 ms, node drip (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
bool(true)
bool(true)
OneHop\DeadlineExceeded, node drip, may have executed: true
  Only part of the answer arrived within 250 ms, node drip (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
bool(true)
bool(true)
