--TEST--
The object is a \Redis, can be extended and dumped, but not cloned, serialized or connected
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

class Shop extends OneHop\Redis
{
    public array $log = [];
    public function __construct(string $config)
    {
        parent::__construct('alpha', $config);
    }
    public function get($key): mixed
    {
        $this->log[] = $key;
        return parent::get($key);
    }
}
$config = lab_config([lab_redis()], ['redis_auth' => 'secret']);
$shop = new Shop($config);
var_dump(
    $shop instanceof Redis,
    $shop->set('a', 1),
    $shop->get('a'),
    $shop->log,
    $shop->pipeline()->get('a')->exec(),
);
$redis = new OneHop\Redis('alpha', $config);
lab_tell(fn () => clone $redis);
lab_tell(fn () => serialize($redis));
lab_tell(fn () => unserialize('O:12:"OneHop\Redis":0:{}'));
lab_tell(fn () => $redis->__construct('alpha', $config));
lab_tell(fn () => (new ReflectionMethod(Redis::class, 'get'))->invoke($redis, 'a'));
lab_tell(fn () => @stream_socket_client('onehop://127.0.0.1:6379'));
lab_tell(function () {
    $plain = new Redis();
    return @$plain->connect('onehop://127.0.0.1');
});
echo "signatures are phpredis'\n";
$signature = fn (ReflectionMethod $method) => implode("\n", $method->getParameters())
    . $method->getReturnType()
    . $method->isDeprecated() . $method->isStatic() . $method->returnsReference();
$odd = 0;
foreach ((new ReflectionClass(Redis::class))->getMethods() as $theirs) {
    $ours = new ReflectionMethod(OneHop\Redis::class, $theirs->getName());
    $odd += $theirs->getName() !== '__construct' && $signature($theirs) !== $signature($ours);
}
var_dump($odd);
$get = new ReflectionMethod(OneHop\Redis::class, 'get');
var_dump($get->getDeclaringClass()->getName(), $get->getExtensionName());
echo "var_dump() shows the server pool, and the properties of a subclass\n";
$shop->log = [];
$fingerprint = (new OneHop\Topology('alpha', $config))->fingerprint();
ob_start();
var_dump($shop);
echo str_replace($fingerprint, 'FINGERPRINT', ob_get_clean());
var_dump((new ReflectionClass('OneHop\Redis'))->newInstanceWithoutConstructor());
?>
--EXPECTF--
bool(true)
bool(true)
string(1) "1"
array(1) {
  [0]=>
  string(1) "a"
}
array(1) {
  [0]=>
  string(1) "1"
}
Error: Trying to clone an uncloneable object of class OneHop\Redis
Exception: Serialization of 'OneHop\Redis' is not allowed
Exception: Unserialization of 'OneHop\Redis' is not allowed
Error: OneHop\Redis is constructed already
RedisException: Redis server went away
value: false
value: false
signatures are phpredis'
int(0)
string(12) "OneHop\Redis"
string(6) "onehop"
var_dump() shows the server pool, and the properties of a subclass
object(Shop)#%d (4) {
  ["log"]=>
  array(0) {
  }
  ["pool"]=>
  string(5) "alpha"
  ["nodes"]=>
  int(1)
  ["fingerprint"]=>
  string(32) "FINGERPRINT"
}
object(OneHop\Redis)#%d (0) {
}
