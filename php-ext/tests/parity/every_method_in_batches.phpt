--TEST--
Every method of phpredis answers in a pipeline and in a transaction as on one server
--DESCRIPTION--
Not beneath valgrind: it makes every call of every method.
--FILE--
<?php
require __DIR__ . '/methods.inc';

$runs = [];
foreach (['nothing', 'strings', 'lists', 'sorted sets', 'hashes', 'streams'] as $state) {
    if ($state !== 'streams') {
        $runs[] = [true, 'in a pipeline', PARITY_OPTIONS['none'], $state];
        $runs[] = [false, 'in a pipeline', PARITY_OPTIONS['none'], $state];
    }
    $runs[] = [true, 'in a transaction', PARITY_OPTIONS['none'], $state];
}
$runs[] = [false, 'in a pipeline', PARITY_OPTIONS['prefix and serializer'], 'sets'];
$runs[] = [true, 'in a transaction', PARITY_OPTIONS['prefix and serializer'], 'sets'];
parity_of_methods($runs);
?>
--EXPECT--
hundreds of calls, 0 differ
