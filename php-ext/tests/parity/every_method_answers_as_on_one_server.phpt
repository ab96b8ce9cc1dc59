--TEST--
Every method of phpredis answers on four nodes as on one server, or is refused with a reason
--DESCRIPTION--
Not beneath valgrind: it makes every call of every method.
--FILE--
<?php
require __DIR__ . '/methods.inc';

$runs = [];
foreach (array_keys(PARITY_STATES) as $state) {
    $runs[] = [true, 'alone', PARITY_OPTIONS['none'], $state];
    $runs[] = [false, 'alone', PARITY_OPTIONS['none'], $state];
}
parity_of_methods($runs);
?>
--EXPECT--
hundreds of calls, 0 differ
