--TEST--
After a fork, parent and child use separate connections; the child sends nothing on the old ones
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([$a = lab_redis(), $b = lab_redis()]);
$redis = new OneHop\Redis('alpha', $config);
$keys = array_values(lab_key_of_each($config));
$redis->mset([$keys[0] => 'zero', $keys[1] => 'one']);
$children = [];
for ($child = 0; $child < 4; $child++) {
    $id = pcntl_fork();
    if ($id === 0) {
        $wrong = 0;
        for ($i = 0; $i < 200; $i++) {
            $redis->set("child:$child:$i", "$child $i");
            $wrong += $redis->get("child:$child:$i") !== "$child $i";
            $wrong += $redis->mget($keys) !== ['zero', 'one'];
        }
        posix_kill(posix_getpid(), $wrong ? SIGTERM : SIGKILL);
    }
    $children[] = $id;
}
$wrong = 0;
for ($i = 0; $i < 200; $i++) {
    $wrong += $redis->mget($keys) !== ['zero', 'one'];
    $wrong += $redis->pipeline()->get($keys[1])->get($keys[0])->exec() !== ['one', 'zero'];
}
foreach ($children as $id) {
    pcntl_waitpid($id, $status);
    $wrong += pcntl_wtermsig($status) !== SIGKILL;
}
echo "wrong: $wrong\n";
foreach ([$a, $b] as $port) {
    $quits = lab_plain($port)->info('commandstats')['cmdstat_quit'] ?? 0;
    var_dump($quits);
}

echo "a fork while replies are being read\n";
final class Forking
{
    public static int $child = -1;
    public function __serialize(): array
    {
        return [];
    }
    public function __unserialize(array $data): void
    {
        self::$child = self::$child === -1 ? pcntl_fork() : self::$child;
    }
}
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$redis->rPush('large', new Forking(), ...array_fill(0, 40, str_repeat('x', 100000)));
try {
    $seen = count($redis->lRange('large', 0, -1)) === 41 ? 'all' : 'odd';
} catch (OneHop\NodeDown $e) {
    $seen = preg_replace('/,.*/', '', $e->getMessage());
}
if (Forking::$child === 0) {
    $is_right = $seen === 'The connection belongs to another process'
        && $redis->lLen('large') === 41;
    posix_kill(posix_getpid(), $is_right ? SIGKILL : SIGTERM);
}
pcntl_waitpid(Forking::$child, $status);
var_dump($seen, pcntl_wtermsig($status) === SIGKILL, $redis->lLen('large'));
?>
--EXPECT--
wrong: 0
int(0)
int(0)
a fork while replies are being read
string(3) "all"
bool(true)
int(41)
