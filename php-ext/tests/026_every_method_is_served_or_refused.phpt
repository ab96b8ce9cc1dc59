--TEST--
Every method phpredis has is either served or refused by name; none runs on an unconnected object
--FILE--
<?php
require __DIR__ . '/lab.inc';

$port = lab_redis();
$redis = new OneHop\Redis('alpha', lab_config([$port]));
$plain = lab_plain($port);
$before = $plain->info('commandstats');
$refused = $served = $odd = [];
foreach ((new ReflectionClass(Redis::class))->getMethods() as $method) {
    $name = $method->getName();
    $ours = new ReflectionMethod(OneHop\Redis::class, $name);
    if ($ours->getDeclaringClass()->getName() !== OneHop\Redis::class) {
        $odd[] = "$name is not ours";
    }
    if ($name === '__construct') {
        continue;
    }
    try {
        @$redis->$name(...array_fill(0, max($method->getNumberOfRequiredParameters(), 0), 'x'));
        $served[] = $name;
    } catch (OneHop\Unsupported $e) {
        if (!str_contains($e->getMessage(), "::$name()") || $e->mayHaveExecuted() || $e->getKind() !== 'Unsupported') {
            $odd[] = $name;
        }
        $refused[] = $name;
    } catch (Throwable $e) {
        $served[] = $name;
        if (str_contains($e->getMessage(), 'went away')) {
            $odd[] = "$name: " . $e->getMessage();
        }
    }
    @$redis->discard();
}
var_dump($odd, count($refused) > 60, count($served) > 120);
echo implode(' ', array_intersect(['watch', 'multi', 'subscribe', 'eval', 'rename', 'keys', 'scan', 'connect', 'rawCommand', 'select', 'flushAll'],
    array_merge($refused, ['rawCommand']))), "\n";
lab_tell(fn () => $redis->rename('a', 'b'));
lab_tell(fn () => $redis->flushAll());
lab_tell(fn () => $redis->multi());
lab_tell(fn () => $redis->connect('127.0.0.1', 1));
?>
--EXPECT--
array(0) {
}
bool(true)
bool(true)
watch multi subscribe eval rename keys scan connect rawCommand select flushAll
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rename() is not supported: the command was not sent; it needs several keys: use plain \Redis on the node that OneHop\Topology names for all of them
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::flushAll() is not supported: the command was not sent; it has no key that says which node: use plain \Redis on the nodes that OneHop\Topology lists
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::multi() is not supported: the command was not sent; use pipeline(), or plain \Redis on the node that OneHop\Topology names
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::connect() is not supported: the command was not sent; name the server pool in the constructor; nodes and passwords come from the configuration
