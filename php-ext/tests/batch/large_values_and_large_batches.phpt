--TEST--
Values of 20 MB and batches of 100,000 commands come back whole
--DESCRIPTION--
Not beneath valgrind: it moves values of 20 MB.
--INI--
memory_limit=1G
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([lab_redis(), lab_redis(), lab_redis(), lab_redis()], ['timeout' => 60000]);
$redis = new OneHop\Redis('alpha', $config);
$keys = array_values(lab_key_of_each($config));
$value = random_bytes(1 << 20);
$large = str_repeat($value, 20);
foreach ($keys as $i => $key) {
    $redis->set($key, $i . $large);
}
var_dump($redis->get($keys[0]) === '0' . $large);
$wrong = 0;
foreach ($redis->mget($keys) as $i => $one) {
    $wrong += $one !== $i . $large;
}
$redis->pipeline();
foreach ($keys as $key) {
    $redis->get($key)->strlen($key);
}
foreach ($redis->exec() as $i => $one) {
    $wrong += $i % 2 ? $one !== strlen($large) + 1 : $one !== intdiv($i, 2) . $large;
}
echo "wrong: $wrong\n";
unset($one, $large);
$redis->del($keys);

$redis->pipeline();
for ($i = 0; $i < 100000; $i++) {
    $redis->hSet("user:$i", 'name', "name of $i");
}
var_dump(array_sum($redis->exec()));
$redis->pipeline();
for ($i = 0; $i < 100000; $i++) {
    $redis->hGet("user:$i", 'name');
}
$wrong = 0;
foreach ($redis->exec() as $i => $name) {
    $wrong += $name !== "name of $i";
}
echo "wrong: $wrong of ", $i + 1, "\n";
$many = array_map(fn ($i) => "user:$i", range(0, 99999));
var_dump($redis->exists($many), $redis->del($many));
?>
--EXPECT--
bool(true)
wrong: 0
int(100000)
wrong: 0 of 100000
int(100000)
int(100000)
