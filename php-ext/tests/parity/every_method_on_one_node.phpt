--TEST--
onNode() returns what plain phpredis returns for every method that leaves the connection as it was
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
