--TEST--
A look-up that fails because this process has no descriptors left says nothing about the node
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $argv[1]);
while ($files[] = @fopen('/dev/null', 'r')) {
}
for ($left = 0; $left <= 2; $left++) { /* With two, the look-up begins and cannot go on. */
    for ($i = 0; $i < 2; $i++) {
        try {
            $redis->get('key');
        } catch (OneHop\Exception $e) {
            $told[preg_replace('/, node.*/', '', $e->getMessage())] = true;
        }
    }
    array_pop($files);
    $left === 0 && array_pop($files);
}
foreach ($files as $file) {
    is_resource($file) && fclose($file);
}
echo implode("\n", array_keys($told)), "\n";
$node = OneHop\Topology::status()[0]['nodes'][0];
echo json_encode([$node['state'], $node['failures'], $node['reason']]), "\n";
PHP;
foreach (['false', 'true'] as $ejects) {
    $config = Lab::file("names-$ejects.yml");
    file_put_contents($config, "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 30000\n"
        . "  auto_eject_hosts: $ejects\n  server_failure_limit: 1\n"
        . "  servers:\n    - host.invalid:6379:1 a\n");
    echo lab_run($script, [$config], ['prlimit', '--nofile=64', '--']);
}
?>
--EXPECT--
Host name not resolved (Too many open files)
["up",0,null]
Host name not resolved (Too many open files)
["up",0,null]
