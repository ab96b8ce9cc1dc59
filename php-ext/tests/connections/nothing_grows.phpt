--TEST--
Memory and descriptors of a process do not grow, whatever clients do, even while nodes come and go
--DESCRIPTION--
Not beneath valgrind: it measures the memory of its own process.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$dead = Lab::port();
$config = lab_config([$live = lab_redis(), lab_redis(), "127.0.0.1:$dead:1 dead"]);
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
lab_show('bytes', $memory[19] - $memory[5]);
lab_show('descriptors', $descriptors[19] - $descriptors[5]);
lab_show('less than a megabyte of pages', $pages[19] - $pages[5] < 1000);

echo "a thousand ejections and returns, while old rings or files are still in use\n";
$servers = [$live, "127.0.0.1:$dead:1 dead"];
$rules = ['auto_eject_hosts' => 'true', 'server_failure_limit' => 1, 'server_retry_timeout' => 1];
$config = lab_config($servers, $rules);
$key = lab_key_of_each($config)['dead'];
$redis = new OneHop\Redis('alpha', $config);
$topology = new OneHop\Topology('alpha', $config);
$older = new OneHop\Redis('alpha', $config);
$older->pipeline()->get($key); /* Keeps the ring it began with, and so its snapshot, to the end. */
for ($i = 0, $ejected = 0; $ejected < 1000; $i++) {
    try {
        $redis->get($key);
    } catch (OneHop\NodeDown) {
        $ejected++;
        usleep(1200); /* So the node may return. */
    }
    if ($i % 7 === 0) {
        $another = new OneHop\Redis('alpha', $config);
        $another->pipeline()->get($key);
        $kept[$i % 5] = [$another, $topology->nodes()];
    }
    if ($ejected === 200 && !isset($begin)) {
        $begin = $resident();
    }
    if ($i === 1000) {
        lab_config($servers, ['timeout' => 31000] + $rules, basename($config));
    }
}
lab_show('less than a megabyte of pages', $resident() - $begin < 1024);
lab_tell(fn () => $older->exec());
?>
--EXPECT--
bytes: 0
descriptors: 0
less than a megabyte of pages: true
a thousand ejections and returns, while old rings or files are still in use
less than a megabyte of pages: true
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
