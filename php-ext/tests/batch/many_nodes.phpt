--TEST--
Batches over hundreds of nodes run in rounds, also when several nodes share one address
--DESCRIPTION--
Not beneath valgrind: it uses 300 nodes.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis()];
$servers = [];
for ($i = 0; $i < 300; $i++) {
    $servers[] = '127.0.0.1:' . $ports[$i % 3] . ":1 n$i";
}
$redis = new OneHop\Redis('alpha', lab_config($servers, ['timeout' => 20000]));
$keys = array_map(fn ($i) => md5("key$i"), range(0, 4999));
var_dump($redis->mset(array_combine($keys, $keys)), $redis->mget($keys) === $keys);
$redis->pipeline();
foreach ($keys as $key) {
    $redis->get($key);
}
var_dump($redis->exec() === $keys, $redis->del($keys));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
int(5000)
