--TEST--
Every method of phpredis with OPT_PREFIX and a serializer answers on four nodes as on one server
--DESCRIPTION--
Not beneath valgrind: it makes every call of every method.
--FILE--
<?php
require __DIR__ . '/methods.inc';

$runs = [];
foreach (['strings', 'sets', 'streams'] as $state) {
    foreach (['prefix', 'prefix and serializer'] as $options) {
        $runs[] = [true, 'alone', PARITY_OPTIONS[$options], $state];
        $runs[] = [false, 'alone', PARITY_OPTIONS[$options], $state];
    }
}
parity_of_methods($runs);
?>
--EXPECT--
hundreds of calls, 0 differ
