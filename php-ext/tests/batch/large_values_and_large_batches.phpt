--TEST--
Values of 20 MB and batches of 100,000 commands come back whole; too large values are refused
--DESCRIPTION--
Not beneath valgrind: it moves values of 20 MB.
--INI--
memory_limit=1G
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports, ['timeout' => 60000]);
$redis = new OneHop\Redis('alpha', $config);

echo "-- large values\n";
$keys = array_values(lab_key_of_each($config));
$value = random_bytes(1 << 20);
$large = str_repeat($value, 20);
foreach ($keys as $i => $key) {
    $redis->set($key, $i . $large);
}
lab_show('GET', $redis->get($keys[0]) === '0' . $large);
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
lab_show('wrong', $wrong);
unset($one, $large);
$redis->del($keys);

echo "-- larger than any node takes: nothing is sent, and the node does not rest\n";
$one = new OneHop\Redis('alpha', lab_config([$ports[0]], ['timeout' => 60000]));
$one->set('k', 'before');
ini_set('memory_limit', '-1');
$value = str_repeat('x', (512 << 20) + 1);
lab_tell(fn () => $one->set('k', $value));
lab_tell(fn () => $one->pipeline()->get('k')->set('k', $value)->exec());
lab_tell(fn () => $one->get($value));
unset($value);
ini_set('memory_limit', '1G');
lab_show('GET', $one->get('k'));

echo "-- large batches\n";
$redis->pipeline();
for ($i = 0; $i < 100000; $i++) {
    $redis->hSet("user:$i", 'name', "name of $i");
}
lab_show('HSET', array_sum($redis->exec()));
$redis->pipeline();
for ($i = 0; $i < 100000; $i++) {
    $redis->hGet("user:$i", 'name');
}
$wrong = 0;
foreach ($redis->exec() as $i => $name) {
    $wrong += $name !== "name of $i";
}
lab_show('HGET', $i + 1);
lab_show('wrong', $wrong);
$many = array_map(fn ($i) => "user:$i", range(0, 99999));
lab_show('EXISTS', $redis->exists($many));
lab_show('DEL', $redis->del($many));

echo "-- hundreds of nodes, several at one address: batches run in rounds\n";
$servers = array_map(fn ($i) => '127.0.0.1:' . $ports[$i % 3] . ":1 n$i", range(0, 299));
$redis = new OneHop\Redis('alpha', lab_config($servers));
$keys = array_map(fn ($i) => md5("key$i"), range(0, 4999));
lab_show('MSET', $redis->mset(array_combine($keys, $keys)));
lab_show('MGET', $redis->mget($keys) === $keys);
$redis->pipeline();
foreach ($keys as $key) {
    $redis->get($key);
}
lab_show('a pipeline', $redis->exec() === $keys);
lab_show('DEL', $redis->del($keys));

echo "-- nodes that stop reading until their replies are read\n";
/* More is in flight than buffers hold. So a node's writes block, and the node stops reading. */
$script = '
    buffer(32768)
    for words in commands():
        value(words[2][0] * 40000)';
$letters = fn (int $i) => str_repeat(chr(97 + $i % 26), 40000);
foreach ([1, 3] as $count) {
    $nodes = array_map(fn () => lab_node($script), range(1, $count));
    $redis = new OneHop\Redis('alpha', lab_config($nodes, ['timeout' => 30000]));
    $redis->pipeline();
    for ($i = 0; $i < 300 * $count; $i++) {
        $redis->getSet("key:$i", $letters($i));
    }
    $wrong = 0;
    foreach ($redis->exec() as $i => $value) {
        $wrong += $value !== $letters($i);
    }
    lab_show("$count: wrong", $wrong);
}
?>
--EXPECT--
-- large values
GET: true
wrong: 0
-- larger than any node takes: nothing is sent, and the node does not rest
OneHop\Unsupported, node node-0, may have executed: false
  A key or value is larger than 512 MiB, the most a node takes, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; split it
OneHop\Unsupported, node node-0, may have executed: false
  A key or value is larger than 512 MiB, the most a node takes, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; split it
OneHop\Unsupported, node node-0, may have executed: false
  A key or value is larger than 512 MiB, the most a node takes, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; split it
GET: "before"
-- large batches
HSET: 100000
HGET: 100000
wrong: 0
EXISTS: 100000
DEL: 100000
-- hundreds of nodes, several at one address: batches run in rounds
MSET: true
MGET: true
a pipeline: true
DEL: 5000
-- nodes that stop reading until their replies are read
1: wrong: 0
3: wrong: 0
