--TEST--
A thousand ejections and returns leave nothing behind, even if old rings or files are still in use
--DESCRIPTION--
Not beneath valgrind: it measures the memory of its own process.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

[$dead, $live] = [Lab::port(), lab_redis()];
$servers = [$live, "127.0.0.1:$dead:1 dead"];
$rules = ['auto_eject_hosts' => 'true', 'server_failure_limit' => 1, 'server_retry_timeout' => 1];
$config = lab_config($servers, $rules);
$key = lab_key_of_each($config)['dead'];
$redis = new OneHop\Redis('alpha', $config);
$topology = new OneHop\Topology('alpha', $config);
$older = new OneHop\Redis('alpha', $config);
$older->pipeline()->get($key); /* Keeps the ring it began with, and so its snapshot, to the end. */
$memory = static fn (): int
    => (int) preg_replace('/.*VmRSS:\s+(\d+).*/s', '$1', file_get_contents('/proc/self/status'));
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
        $begin = $memory();
    }
    if ($i === 1000) {
        lab_config($servers, ['timeout' => 1500] + $rules, 'alpha.yml');
    }
}
echo 'grown by less than a megabyte: ', var_export($memory() - $begin < 1024, true), "\n";
lab_tell(fn () => $older->exec());
?>
--EXPECT--
grown by less than a megabyte: true
OneHop\NodeDown, node dead, may have executed: false
  Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
