--TEST--
Options reach every node, also those opened later; serializer and compression are phpredis' own
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([lab_redis(), lab_redis(), lab_redis()], ['timeout' => 32000]);
$keys = array_values(lab_key_of_each($config));
$redis = new OneHop\Redis('alpha', $config);
$redis->set($keys[0], 'plain');
$value = ['a' => 1, 'list' => [1.5, null, true], 'o' => new ArrayObject([1])];
lab_show('serializer set', $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP));
lab_show('serializer', $redis->getOption(Redis::OPT_SERIALIZER));
foreach ($keys as $key) {
    $redis->set($key, $value);
}
lab_show(
    'MGET from three nodes gives what was set',
    $redis->mget($keys) == [$value, $value, $value],
);
lab_show('compression set', $redis->setOption(Redis::OPT_COMPRESSION, Redis::COMPRESSION_ZSTD));
lab_show('compression level set', $redis->setOption(Redis::OPT_COMPRESSION_LEVEL, 9));
$redis->pipeline();
foreach ($keys as $key) {
    $redis->hSet("h:$key", 'f', str_repeat('z', 10000));
    $redis->hGet("h:$key", 'f');
}
$long = str_repeat('z', 10000);
lab_show(
    'a pipeline over three nodes gives what was set',
    $redis->exec() === [1, $long, 1, $long, 1, $long],
);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
$redis->setOption(Redis::OPT_COMPRESSION, Redis::COMPRESSION_NONE);
lab_show('the node stores it compressed', strlen($redis->hGet("h:$keys[1]", 'f')) < 200);
echo "-- values that phpredis refuses, and options that OneHop handles itself\n";
lab_show('serializer 99 set', $redis->setOption(Redis::OPT_SERIALIZER, 99));
lab_show('serializer', $redis->getOption(Redis::OPT_SERIALIZER));
lab_show('5 retries set', $redis->setOption(Redis::OPT_MAX_RETRIES, 5));
lab_show('back-off set', $redis->setOption(Redis::OPT_BACKOFF_BASE, 5));
lab_show('keepalive set', $redis->setOption(Redis::OPT_TCP_KEEPALIVE, 1));
lab_show('retries', $redis->getOption(Redis::OPT_MAX_RETRIES));
lab_show('-1 retries set', $redis->setOption(Redis::OPT_MAX_RETRIES, -1));
lab_show(
    'retries of a new client',
    (new OneHop\Redis('alpha', $config))->getOption(Redis::OPT_MAX_RETRIES),
);
lab_show('timeout of 0.25 s set', $redis->setOption(Redis::OPT_READ_TIMEOUT, 0.25));
lab_show('timeout as an option', $redis->getOption(Redis::OPT_READ_TIMEOUT));
lab_show('timeout', $redis->getTimeout());
lab_show('timeout of 0 set', $redis->setOption(Redis::OPT_READ_TIMEOUT, 0));
lab_show("timeout from the configuration again", $redis->getReadTimeout());
lab_show('literal replies set', $redis->setOption(Redis::OPT_REPLY_LITERAL, true));
lab_show('SET with literal replies', $redis->set('x', 1));
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
lab_show('fields', count($seen));
echo "-- without I/O\n";
lab_show('an array without serializer', $redis->_serialize([1]));
lab_show('a key without prefix', $redis->_prefix('x'));
lab_show('mode', $redis->getMode());
lab_show('is connected', $redis->isConnected());
lab_show('closed', $redis->close());
lab_show('is connected', $redis->isConnected());
echo "-- a closed client opens again and keeps its options\n";
lab_show('GET', $redis->get('x'));
lab_show('is connected', $redis->isConnected());
lab_show('literal replies', $redis->getOption(Redis::OPT_REPLY_LITERAL));
?>
--EXPECTF--
serializer set: true
serializer: 1
MGET from three nodes gives what was set: true
compression set: true
compression level set: true
a pipeline over three nodes gives what was set: true
the node stores it compressed: true
-- values that phpredis refuses, and options that OneHop handles itself
serializer 99 set: false
serializer: 0
5 retries set: true
back-off set: true
keepalive set: false
retries: 5
-1 retries set: false
retries of a new client: 10
timeout of 0.25 s set: true
timeout as an option: 0.25
timeout: 0.25
timeout of 0 set: true
timeout from the configuration again: 32.0
literal replies set: true
SET with literal replies: true
-- HSCAN with both switches of OPT_SCAN
fields: 2000
-- without I/O
an array without serializer: "%S"
a key without prefix: "x"
mode: 0
is connected: true
closed: true
is connected: false
-- a closed client opens again and keeps its options
GET: "1"
is connected: true
literal replies: 1
