--TEST--
A subscription's connection does not count towards pool_size, so calls never wait for it
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/speaker.inc';

$config = lab_config([$port = lab_redis()], ['pool_size' => 1]);
$redis = new OneHop\Redis('alpha', $config);
speaker("say($port, 'news', 'hello');");
$redis->subscribe(['news'], function ($redis, $channel, $text) {
    var_dump($redis->set('key', $text), $redis->get('key'));
    $redis->unsubscribe([$channel]);
});
?>
--EXPECT--
bool(true)
string(5) "hello"
