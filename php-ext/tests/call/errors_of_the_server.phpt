--TEST--
Errors of the server stay phpredis' own: false and getLastError(), or its RedisException
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$script = 'while ($words = $node->command()) { $node->send($words[1] === "loading" ? "-LOADING Redis is loading\r\n" : "-ERR odd $words[1]\r\n"); }';
$config = lab_config(['127.0.0.1:' . lab_node($script) . ':1 odd', '127.0.0.1:' . lab_redis() . ':1 fine'], ['timeout' => 2000]);
$redis = new OneHop\Redis('alpha', $config);
$topology = new OneHop\Topology('alpha', $config);
$odd = [];
$keys = lab_key_of_each($config);
for ($i = 0; count($odd) < 2; $i++) {
    if ($topology->locate("key:$i")->name === 'odd') {
        $odd[] = "key:$i";
    }
}
var_dump($redis->get($odd[0]), str_starts_with($redis->getLastError(), "ERR odd $odd[0]"), $redis->get($keys['fine']), str_starts_with($redis->getLastError(), "ERR odd $odd[0]"));
$redis->clearLastError();
var_dump($redis->getLastError(), $redis->mget([$odd[0], $keys['fine']]), str_starts_with($redis->getLastError(), "ERR odd $odd[0]"));
var_dump($redis->pipeline()->get($odd[0])->get($keys['fine'])->set($odd[1], 1)->exec());

$redis = new OneHop\Redis('alpha', lab_config(['127.0.0.1:' . lab_node($script) . ':1 odd'], [], 'odd.yml'));
lab_tell(fn () => $redis->get('loading'));
lab_tell(fn () => $redis->get('x'));
lab_tell(fn () => rtrim($redis->getLastError()));
?>
--EXPECT--
bool(false)
bool(true)
bool(false)
bool(true)
NULL
bool(false)
bool(true)
array(3) {
  [0]=>
  bool(false)
  [1]=>
  bool(false)
  [2]=>
  bool(false)
}
RedisException: LOADING Redis is loading
bool(false)
string(9) "ERR odd x"
