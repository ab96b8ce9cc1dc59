--TEST--
A key may be anything that phpredis takes for text; anything else is refused before sending
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

final class Counting
{
    public int $count = 0;
    public function __toString(): string
    {
        $this->count++;
        return 'counted';
    }
}
$redis = new OneHop\Redis('alpha', lab_config([$a = lab_redis(), $b = lab_redis()]));
$plain = [lab_plain($a), lab_plain($b)];
$stored = function () use ($plain) {
    $keys = [...$plain[0]->keys('*'), ...$plain[1]->keys('*')];
    array_map(fn ($node) => $node->flushAll(), $plain);
    sort($keys);
    return implode(' ', array_map(fn ($key) => var_export($key, true), $keys));
};
$redis->set(12, 'x');
$redis->set(1.5, 'x');
$redis->set(true, 'x');
$redis->set(false, 'x');
$redis->set($object = new Counting(), 'x');
echo $stored(), "; converted $object->count times\n";
$deprecations = [];
set_error_handler(function ($level, $text) use (&$deprecations) { $deprecations[] = $text; });
$redis->set(null, 'x');
restore_error_handler();
echo $stored(), '; ', implode(' ', $deprecations), "\n";

$redis->mset([1 => 'a', '02' => 'b', 'c' => 'c']);
var_dump($redis->mget([1, new Counting(), '02', 'c']), $redis->exists(1, '02', 'nope'));
$object = new Counting();
$redis->del($object, 1);
$redis->del([$object, 'c']);
echo $stored(), "; converted $object->count times\n";

$file = tmpfile();
foreach ([[], ['a'], new stdClass(), $file, fn () => 1] as $key) {
    lab_tell(fn () => $redis->get($key));
}
lab_tell(fn () => $redis->mget(['fine', []]));
lab_tell(fn () => $redis->del('fine', new stdClass()));
lab_tell(fn () => $redis->mget('text'));
lab_tell(fn () => $redis->get());
lab_tell(fn () => $redis->pipeline()->get([]));
$redis->discard();
echo $stored(), "nothing was sent\n";
?>
--EXPECT--
'' '1' '1.5' '12' 'counted'; converted 1 times
''; OneHop\Redis::set(): Passing null to parameter #1 ($key) of type string is deprecated
array(4) {
  [0]=>
  string(1) "a"
  [1]=>
  bool(false)
  [2]=>
  string(1) "b"
  [3]=>
  string(1) "c"
}
int(2)
'02'; converted 2 times
TypeError: OneHop\Redis::get(): Argument #1 must be a key of type string, array given; nothing was sent
TypeError: OneHop\Redis::get(): Argument #1 must be a key of type string, array given; nothing was sent
TypeError: OneHop\Redis::get(): Argument #1 must be a key of type string, stdClass given; nothing was sent
TypeError: OneHop\Redis::get(): Argument #1 must be a key of type string, resource given; nothing was sent
TypeError: OneHop\Redis::get(): Argument #1 must be a key of type string, Closure given; nothing was sent
TypeError: OneHop\Redis::mget(): Argument #1 must be a key of type string, array given; nothing was sent
TypeError: OneHop\Redis::del(): Argument #2 must be a key of type string, stdClass given; nothing was sent
TypeError: Redis::mget(): Argument #1 ($keys) must be of type array, string given
ArgumentCountError: OneHop\Redis::get() expects exactly 1 argument, 0 given
TypeError: OneHop\Redis::get(): Argument #1 must be a key of type string, array given; nothing was sent
nothing was sent
