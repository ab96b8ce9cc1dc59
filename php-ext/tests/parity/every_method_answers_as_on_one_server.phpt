--TEST--
Every method of phpredis is refused, or answers on four nodes, and on one of them, as on one server
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
/* By onNode(): the methods that leave their connection as it was. */
foreach (['nothing', 'strings', 'sorted sets', 'hashes'] as $state) {
    $runs[] = [true, 'on one node', PARITY_OPTIONS['none'], $state];
}
$runs[] = [true, 'on one node', PARITY_OPTIONS['prefix and serializer'], 'sets'];
parity_of_methods($runs);
?>
--EXPECT--
hundreds of calls, 0 differ
