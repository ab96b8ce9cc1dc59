--TEST--
All clients of a process share one connection per node, one after another and side by side
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([$a = lab_redis(), $b = lab_redis()]);
$nodes = [lab_plain($a), lab_plain($b)];
$before = array_map('lab_accepted', $nodes);
$clients = [];
for ($i = 0; $i < 20; $i++) {
    $clients[] = $redis = new OneHop\Redis('alpha', $config);
    for ($k = 0; $k < 20; $k++) {
        $redis->set("key:$i:$k", $k);
    }
    $redis->mget(['a', 'b', 'c', 'd', 'e', 'f']);
    $other = new OneHop\Redis('alpha', $config);
    $other->pipeline();
    for ($k = 0; $k < 20; $k++) {
        $other->get("key:$i:$k");
    }
    $other->exec();
}
$after = array_map('lab_accepted', $nodes);
var_dump($after[0] - $before[0], $after[1] - $before[1]);

echo "no more than pool_size in parallel\n";
final class Nested
{
    public static $redis;
    public function __serialize(): array
    {
        return [];
    }
    public function __unserialize(array $data): void
    {
        /* Each level reads a large value: its connection is in use while the next level begins. */
        self::$redis->get('nested');
    }
}
$redis = Nested::$redis = new OneHop\Redis(
    'alpha',
    lab_config([$a], ['pool_size' => 4], 'beta.yml'),
);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$redis->hMset('big', ['a' => new Nested(), 'b' => str_repeat('x', 3000000)]);
$redis->set('nested', 'flat');
var_dump(count($redis->hGetAll('big')));
?>
--EXPECT--
int(1)
int(1)
no more than pool_size in parallel
int(2)
