--TEST--
OPT_PREFIX is part of the key that is placed: the same data is found with and without it
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([lab_redis(), lab_redis(), lab_redis(), lab_redis()], ['hash_tag' => '"{}"']);
$through = lab_plain(lab_nutcracker($config));
$redis = new OneHop\Redis('alpha', $config);
$redis->setOption(Redis::OPT_PREFIX, 'app:');
$wrong = 0;
for ($i = 0; $i < 300; $i++) {
    $redis->set("key:$i", $i);
    $wrong += $through->get("app:key:$i") !== "$i";
}
$long = str_repeat('l', 700);
$redis->set($long, 'long');
$wrong += $through->get("app:$long") !== 'long';
$redis->setOption(Redis::OPT_PREFIX, '{tag}');
$redis->mset(['a' => 1, 'b' => 2]);
$wrong += $through->mget(['{tag}a', '{tag}b']) !== ['1', '2'];
$wrong += $redis->mget(['a', 'b']) !== ['1', '2'];
$redis->setOption(Redis::OPT_PREFIX, '');
$wrong += $redis->mget(['{tag}a', '{tag}b', 'app:key:7']) !== ['1', '2', '7'];
$wrong += $redis->getOption(Redis::OPT_PREFIX) !== null;
echo "wrong: $wrong\n";
?>
--EXPECT--
wrong: 0
