--TEST--
A node that never answers is DeadlineExceeded, and the command may have executed
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

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
?>
--EXPECT--
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
