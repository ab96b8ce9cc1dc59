--TEST--
Memory and descriptors of a process do not grow, whatever its clients do
--DESCRIPTION--
Not beneath valgrind: it measures the memory of its own process.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$dead = Lab::port();
$config = lab_config([lab_redis(), lab_redis(), "127.0.0.1:$dead:1 dead"]);
$keys = lab_key_of_each($config);
$round = function () use ($config, $keys) {
    for ($i = 0; $i < 50; $i++) {
        $redis = new OneHop\Redis('alpha', $config);
        $redis->setOption(Redis::OPT_PREFIX, '');
        $redis->set($keys['node-0'], $i);
        $redis->mget([$keys['node-0'], $keys['node-1'], $keys['node-0']]);
        $redis->pipeline()->get($keys['node-0'])->mget(array_values($keys))->get($keys['node-1']);
        try {
            $redis->exec();
        } catch (OneHop\PartialBatch $e) {
            $e->getReplies();
        }
        $redis->pipeline()->get($keys['node-0'])->mset([$keys['node-0'] => 1, $keys['node-1'] => 2])
            ->exec();
        $redis->pipeline()->get($keys['node-1']);
        try {
            (new OneHop\Redis('alpha', $config))->get($keys['dead']);
        } catch (OneHop\NodeDown) {
        }
        $redis = new OneHop\Redis('alpha', $config);
        $redis->multi()->get($keys['node-0'])->set($keys['node-0'], $i)->exec();
        $redis->multi()->get($keys['node-0'])->discard();
        $redis->watch($keys['node-0']);
        $redis->multi()->get($keys['node-0']);
        try {
            (new OneHop\Redis('alpha', $config))->multi()->get($keys['dead']);
        } catch (OneHop\NodeDown) {
        }
        try {
            $redis->eval('x');
        } catch (OneHop\Unsupported) {
        }
        (new OneHop\Topology('alpha', $config, dead: ['dead']))->locate('x');
    }
};
$resident = fn ()
    => (int) preg_replace('/.*VmRSS:\s+(\d+).*/s', '$1', file_get_contents('/proc/self/status'));
$memory = $descriptors = $pages = array_fill(0, 20, 0);
for ($i = 0; $i < 20; $i++) {
    $round();
    gc_collect_cycles();
    $memory[$i] = memory_get_usage();
    $descriptors[$i] = count(scandir('/proc/self/fd'));
    $pages[$i] = $resident();
}
var_dump(
    $memory[19] - $memory[5],
    $descriptors[19] - $descriptors[5],
    $pages[19] - $pages[5] < 1000,
);
?>
--EXPECT--
int(0)
int(0)
bool(true)
