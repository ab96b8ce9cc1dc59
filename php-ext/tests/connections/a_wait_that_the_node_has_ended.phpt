--TEST--
A connection at which the node has ended a wait is not used again: the node closes it
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_node('
    waits = command()[0] == "BLPOP"
    reply("-UNBLOCKED force unblock from blocking operation, what" if waits else "+OK")
    command()');
$redis = new OneHop\Redis('alpha', lab_config([$port]));
lab_show('blPop', $redis->blPop(['list'], 1));
lab_show('its error', trim($redis->getLastError()));
lab_show('the next call', $redis->set('key', 'value'));
?>
--EXPECT--
blPop: false
its error: "UNBLOCKED force unblock from blocking operation, what"
the next call: true
