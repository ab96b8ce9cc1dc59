--TEST--
onNode() gives what plain phpredis gives, for every method, also those that the fleet refuses; what would change a connection is refused
--DESCRIPTION--
Not beneath valgrind: it makes every call of every method.
--FILE--
<?php
require __DIR__ . '/methods.inc';

$runs = [];
foreach (['nothing', 'strings', 'sorted sets', 'hashes'] as $state) {
    $runs[] = [true, 'on one node', PARITY_OPTIONS['none'], $state];
}
$runs[] = [true, 'on one node', PARITY_OPTIONS['prefix and serializer'], 'sets'];
parity_of_methods($runs);
?>
--EXPECT--
hundreds of calls, 0 differ
