--TEST--
Clients of a process share one connection per node; if the node ends a wait on it, it is given up
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

echo "a connection at which the node has ended a wait: the node closes it\n";
$port = lab_node('
    waits = command()[0] == "BLPOP"
    reply("-UNBLOCKED force unblock from blocking operation, what" if waits else "+OK")
    command()');
$redis = new OneHop\Redis('alpha', lab_config([$port]));
lab_show('blPop', $redis->blPop(['list'], 1));
lab_show('its error', trim($redis->getLastError()));
lab_show('the next call', $redis->set('key', 'value'));
?>
--EXPECT--
int(1)
int(1)
no more than pool_size in parallel
int(2)
a connection at which the node has ended a wait: the node closes it
blPop: false
its error: "UNBLOCKED force unblock from blocking operation, what"
the next call: true
