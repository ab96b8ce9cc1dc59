--TEST--
Options reach every node, those opened later too; serializer and compression are phpredis'
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([lab_redis(), lab_redis(), lab_redis()]);
$keys = array_values(lab_key_of_each($config));
$redis = new OneHop\Redis('alpha', $config);
$redis->set($keys[0], 'plain');
$value = ['a' => 1, 'list' => [1.5, null, true], 'o' => new ArrayObject([1])];
var_dump($redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP), $redis->getOption(Redis::OPT_SERIALIZER));
foreach ($keys as $key) {
    $redis->set($key, $value);
}
var_dump($redis->mget($keys) == [$value, $value, $value]);
var_dump($redis->setOption(Redis::OPT_COMPRESSION, Redis::COMPRESSION_ZSTD), $redis->setOption(Redis::OPT_COMPRESSION_LEVEL, 9));
$redis->pipeline();
foreach ($keys as $key) {
    $redis->hSet("h:$key", 'f', str_repeat('z', 10000));
    $redis->hGet("h:$key", 'f');
}
var_dump($redis->exec() === [1, str_repeat('z', 10000), 1, str_repeat('z', 10000), 1, str_repeat('z', 10000)]);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
$redis->setOption(Redis::OPT_COMPRESSION, Redis::COMPRESSION_NONE);
var_dump(strlen($redis->hGet("h:$keys[1]", 'f')) < 200);
echo "-- values phpredis refuses, and those that are OneHop's business\n";
var_dump($redis->setOption(Redis::OPT_SERIALIZER, 99), $redis->getOption(Redis::OPT_SERIALIZER));
var_dump($redis->setOption(Redis::OPT_MAX_RETRIES, 5), $redis->setOption(Redis::OPT_BACKOFF_BASE, 5), $redis->setOption(Redis::OPT_TCP_KEEPALIVE, 1));
var_dump($redis->getOption(Redis::OPT_MAX_RETRIES), $redis->setOption(Redis::OPT_MAX_RETRIES, -1), (new OneHop\Redis('alpha', $config))->getOption(Redis::OPT_MAX_RETRIES));
var_dump($redis->setOption(Redis::OPT_READ_TIMEOUT, 0.25), $redis->getOption(Redis::OPT_READ_TIMEOUT), $redis->getTimeout());
var_dump($redis->setOption(Redis::OPT_READ_TIMEOUT, 0), $redis->getReadTimeout());
var_dump($redis->setOption(Redis::OPT_REPLY_LITERAL, true), $redis->set('x', 1));
echo "-- HSCAN with both switches of OPT_SCAN\n";
$redis->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
$redis->setOption(Redis::OPT_SCAN, Redis::SCAN_PREFIX);
for ($i = 0; $i < 2000; $i++) {
    $all["field:$i"] = "value $i";
}
$redis->hMset('big', $all);
$iterator = null;
$seen = [];
while ($some = $redis->hScan('big', $iterator, 'field:*', 100)) {
    $seen += $some;
}
var_dump(count($seen));
echo "-- without I/O\n";
var_dump($redis->_serialize([1]), $redis->_prefix('x'), $redis->getMode(), $redis->isConnected(), $redis->close(), $redis->isConnected());
var_dump($redis->get('x'), $redis->isConnected(), $redis->getOption(Redis::OPT_REPLY_LITERAL));
?>
--EXPECTF--
bool(true)
int(1)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
-- values phpredis refuses, and those that are OneHop's business
bool(false)
int(0)
bool(true)
bool(true)
bool(false)
int(5)
bool(false)
int(10)
bool(true)
float(0.25)
float(0.25)
bool(true)
float(2)
bool(true)
bool(true)
-- HSCAN with both switches of OPT_SCAN
int(2000)
-- without I/O
string(%d) "%S"
string(1) "x"
int(0)
bool(true)
bool(true)
bool(false)
string(1) "1"
bool(true)
int(1)
