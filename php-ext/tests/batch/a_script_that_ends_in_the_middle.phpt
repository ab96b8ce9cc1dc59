--TEST--
exit() while a batch is unpacked ends the script; the client still works in shutdown functions
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

final class Leaver
{
    public function __serialize(): array
    {
        return [];
    }
    public function __unserialize(array $data): void
    {
        echo "leaving\n";
        exit(0);
    }
}
$config = lab_config([lab_redis(), lab_redis(), lab_redis(), lab_redis()]);
$keys = array_values(lab_key_of_each($config));
$redis = new OneHop\Redis('alpha', $config);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
foreach ($keys as $i => $key) {
    $redis->set($key, "value $i");
}
$redis->set("leaver", new Leaver());
register_shutdown_function(function () use ($redis, $keys) {
    var_dump($redis->mget($keys) === ['value 0', 'value 1', 'value 2', 'value 3']);
    $redis->pipeline();
    foreach ($keys as $key) {
        $redis->get($key);
    }
    var_dump($redis->exec() === ['value 0', 'value 1', 'value 2', 'value 3']);
});
$redis->pipeline();
foreach ($keys as $key) {
    $redis->get($key)->get('leaver')->get($key);
}
$redis->exec();
echo "not reached\n";
?>
--EXPECT--
leaving
bool(true)
bool(true)
