--TEST--
Replies, errors and last errors are those of plain phpredis, method by method
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/parity.inc';

$plain = lab_plain(lab_redis());
$redis = new OneHop\Redis('alpha', lab_config([
    lab_redis(), lab_redis(), lab_redis(), lab_redis(),
]));
$expected = parity_walk($plain);
var_dump(count($expected) > 160);
var_dump(parity_compare($expected, parity_walk($redis)));
?>
--EXPECT--
bool(true)
bool(true)
