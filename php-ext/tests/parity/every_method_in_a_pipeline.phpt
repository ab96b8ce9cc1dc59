--TEST--
Every method of phpredis in a pipeline answers on four nodes as on one server
--DESCRIPTION--
Not beneath valgrind: it makes every call of every method.
--FILE--
<?php
require __DIR__ . '/methods.inc';

$runs = [];
foreach (['nothing', 'strings', 'lists', 'sorted sets', 'hashes'] as $state) {
    $runs[] = [true, 'in a pipeline', PARITY_OPTIONS['none'], $state];
    $runs[] = [false, 'in a pipeline', PARITY_OPTIONS['none'], $state];
}
$runs[] = [false, 'in a pipeline', PARITY_OPTIONS['prefix and serializer'], 'sets'];
parity_of_methods($runs);
?>
--EXPECT--
hundreds of calls, 0 differ
