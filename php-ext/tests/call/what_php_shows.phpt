--TEST--
php --ri shows the versions, the settings, and whether the express lane is open
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

ob_start();
(new ReflectionExtension('onehop'))->info();
$told = ob_get_clean();
echo preg_replace(['/\d+\.\d+\.\d+(-dev)?/', '/(OpenSSL N).*/'], ['N', '$1'], trim($told)), "\n";
$extension = new ReflectionExtension('onehop');
var_dump(
    $extension->getVersion() === phpversion('onehop'),
    $extension->getDependencies(),
    array_keys($extension->getINIEntries()),
);
echo implode(' ', $extension->getClassNames()), "\n";
var_dump(
    is_subclass_of(OneHop\NodeDown::class, RedisException::class),
    get_parent_class(OneHop\PartialBatch::class),
);
var_dump(in_array('onehop', stream_get_transports(), true));
$without = lab_run(
    '<?php (new ReflectionExtension("onehop"))->info();',
    settings: ['onehop.express_lane' => '0'],
);
echo current(preg_grep('/^Express lane => /', explode("\n", $without))), "\n";
?>
--EXPECT--
onehop

OneHop => enabled
Version => N
On top of phpredis => N
Express lane => open
libyaml => N
c-ares => N
TLS => OpenSSL N
Distributions => ketama, modula, random; the slots of Redis Cluster
Connections => TCP, TLS, unix sockets; kept over requests
Shared by all workers => configuration, topology, health, counters

Directive => Local Value => Master Value
onehop.config => no value => no value
onehop.shared_memory => 4M => 4M
onehop.max_nodes => 64 => 64
onehop.pool_scope => host => host
onehop.express_lane => On => On

Directive => Meaning
onehop.config => the configuration, where a constructor names none
onehop.shared_memory => bytes that all workers share; 0: each process by itself
onehop.max_nodes => nodes whose connections are shared, at most 1024
onehop.pool_scope => host: php-fpm's workers share connections; process: they do not
onehop.express_lane => usual calls of hot methods are written and read without phpredis
bool(true)
array(2) {
  ["redis"]=>
  string(8) "Required"
  ["session"]=>
  string(8) "Required"
}
array(5) {
  [0]=>
  string(13) "onehop.config"
  [1]=>
  string(20) "onehop.shared_memory"
  [2]=>
  string(16) "onehop.max_nodes"
  [3]=>
  string(17) "onehop.pool_scope"
  [4]=>
  string(19) "onehop.express_lane"
}
OneHop\Exception OneHop\NodeDown OneHop\DeadlineExceeded OneHop\CrossNode OneHop\PoolExhausted OneHop\ConfigInvalid OneHop\ProtocolViolation OneHop\Unsupported OneHop\PartialBatch OneHop\Topology OneHop\Node OneHop\Redis
bool(true)
string(16) "OneHop\Exception"
bool(true)
Express lane => closed
