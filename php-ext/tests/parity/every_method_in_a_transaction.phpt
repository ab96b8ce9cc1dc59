--TEST--
Every method of phpredis in a transaction answers on four nodes as on one server
--DESCRIPTION--
Not beneath valgrind: it makes every call of every method.
--FILE--
<?php
require __DIR__ . '/methods.inc';

$runs = [];
foreach (['nothing', 'strings', 'lists', 'sorted sets', 'hashes', 'streams'] as $state) {
    $runs[] = [true, 'in a transaction', PARITY_OPTIONS['none'], $state];
}
$runs[] = [true, 'in a transaction', PARITY_OPTIONS['prefix and serializer'], 'sets'];
parity_of_methods($runs);
?>
--EXPECT--
hundreds of calls, 0 differ
