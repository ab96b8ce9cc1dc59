--TEST--
Script code that runs while values are packed or unpacked may use the client; replies stay in place
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

final class Curious
{
    public static ?OneHop\Redis $redis = null;
    public function __construct(public string $key, public mixed $seen = null)
    {
    }
    public function __serialize(): array
    {
        return [
            $this->key,
            self::$redis->getMode() === Redis::ATOMIC ? self::$redis->exists($this->key) : 'queued',
        ];
    }
    public function __unserialize(array $data): void
    {
        $this->key = $data[0];
        $this->seen = [
            self::$redis->strlen('other:' . $this->key),
            self::$redis->incr('count'),
            count(self::$redis->mget(['a', 'b', 'c', 'd'])),
            self::$redis->pipeline()->strlen('other:' . $this->key)->incr('count')->exec(),
        ];
    }
}
$config = lab_config([lab_redis(), lab_redis(), lab_redis()]);
$redis = Curious::$redis = new OneHop\Redis('alpha', $config);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$keys = [];
for ($i = 0; $i < 30; $i++) {
    $keys[] = "k$i";
    $redis->set("other:k$i", str_repeat('x', $i));
    $redis->set("k$i", new Curious("k$i"));
}
$check = function (array $values) use ($redis) {
    $wrong = 0;
    foreach ($values as $i => $value) {
        $wrong += $value->key !== "k$i"
            || $value->seen[0] !== $redis->strlen("other:k$i")
            || $value->seen[2] !== 4
            || $value->seen[3][0] !== $value->seen[0] || $value->seen[3][1] !== $value->seen[1] + 1;
    }
    return $wrong;
};
echo 'GET: ', $check(array_map(fn ($key) => $redis->get($key), $keys)), "\n";
echo 'MGET: ', $check($redis->mget($keys)), "\n";
$redis->pipeline();
foreach ($keys as $key) {
    $redis->get($key);
}
echo 'pipeline: ', $check($redis->exec()), "\n";
echo 'packed in a pipeline: ';
$redis->pipeline();
foreach ($keys as $key) {
    $redis->set($key, new Curious($key));
}
var_dump(array_unique($redis->exec()));
echo 'count: ', $redis->incr('count'), "\n";
?>
--EXPECT--
GET: 0
MGET: 0
pipeline: 0
packed in a pipeline: array(1) {
  [0]=>
  bool(true)
}
count: 181
