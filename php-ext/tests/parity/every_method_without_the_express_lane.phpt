--TEST--
Every method of phpredis in a pipeline answers as on one server if onehop.express_lane is off
--DESCRIPTION--
Not beneath valgrind: it makes every call of every method.
--INI--
onehop.express_lane=0
--FILE--
<?php
require __DIR__ . '/methods.inc';

$runs = [];
foreach (['nothing', 'strings', 'lists', 'sorted sets', 'hashes'] as $state) {
    $runs[] = [true, 'in a pipeline', PARITY_OPTIONS['none'], $state];
}
parity_of_methods($runs);
?>
--EXPECT--
hundreds of calls, 0 differ
