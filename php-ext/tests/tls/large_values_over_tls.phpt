--TEST--
Large values are written and read in one batch over TLS, though they fill every buffer on the way
--DESCRIPTION--
Not beneath valgrind: it moves millions of bytes.
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';

foreach (['TLSv1.2', 'TLSv1.3'] as $version) {
    $nodes = [];
    for ($i = 0; $i < 4; $i++) {
        [$nodes[]] = lab_tls_redis('node', '--tls-protocols', $version);
    }
    $redis = new OneHop\Redis('alpha', lab_tls_config($nodes));
    $value = random_bytes(3000000);
    $redis->pipeline();
    for ($i = 0; $i < 6; $i++) {
        $redis->set("large:$i", $value)->get("large:$i");
    }
    $right = count(array_keys($redis->exec(), $value, true));
    $right += count(array_keys($redis->mGet(['large:1', 'large:2', 'large:3']), $value, true));
    lab_show("$version, right of 9 values", $right);
}
?>
--EXPECT--
TLSv1.2, right of 9 values: 9
TLSv1.3, right of 9 values: 9
