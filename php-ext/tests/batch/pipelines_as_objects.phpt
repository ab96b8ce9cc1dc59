--TEST--
A pipeline opens, nests, is emptied, dropped and discarded as in phpredis
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([$port = lab_redis(), lab_redis()]);
$plain = lab_plain(lab_redis());
$ours = new OneHop\Redis('alpha', $config);
foreach ([$plain, $ours] as $redis) {
    $told = [];
    $told[] = $redis->exec();
    $told[] = $redis->discard();
    $told[] = $redis->pipeline() === $redis;
    $told[] = $redis->getMode();
    $told[] = $redis->exec();
    $told[] = $redis->getMode();
    $told[] = $redis->multi(Redis::PIPELINE) === $redis;
    $told[] = $redis->set('a', 1) === $redis;
    $told[] = $redis->pipeline() === $redis;
    $told[] = $redis->set('b', 2)->get('a')->get('b')->exec();
    $redis->pipeline()->set('a', 'dropped')->set('b', 'dropped');
    $told[] = $redis->discard();
    $told[] = $redis->getMode();
    $told[] = [$redis->get('a'), $redis->get('b')];
    $expected ??= $told;
    echo json_encode(array_slice($told, 1)), ' ', var_export($told === $expected, true), "\n";
}
$ours->pipeline()->set('a', 'lost with the object');
unset($redis, $ours);
$again = new OneHop\Redis('alpha', $config);
var_dump($again->mget(['a', 'b']));

echo "a value that cannot be packed spoils the batch: nothing of it is sent\n";
final class Unpackable
{
    public function __serialize(): array
    {
        throw new DomainException('cannot be packed');
    }
}
$again->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
[$x1, $x2] = array_values(lab_key_of_each($config, 'x:'));
$spoil = [
    fn () => $again->set('b', [1, new Unpackable()]),
    fn () => $again->mset([$x1 => 1, $x2 => [new Unpackable()]]),
];
foreach ($spoil as $call) {
    $again->pipeline()->set('a', 'changed');
    lab_tell($call);
    lab_tell(fn () => $again->get('a') === $again);
    lab_tell(fn () => $again->exec());
    var_dump($again->getMode());
}
lab_tell(fn () => $again->set('b', [1, new Unpackable()]));
$again->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
var_dump($again->mget(['a', 'b']), $again->exists($x1, $x2));

echo "arguments that phpredis does not accept leave the batch as it was\n";
$again->pipeline()->set('a', 'kept');
lab_tell(fn () => $again->mget([$x1, $x2], 'too many'));
lab_tell(fn () => $again->hGet('a'));
echo json_encode($again->get('a')->exec()), "\n";
?>
--EXPECTF--
[false,true,2,[],0,true,true,true,[true,true,"1","2"],true,0,["1","2"]] true
[false,true,2,[],0,true,true,true,[true,true,"1","2"],true,0,["1","2"]] true
array(2) {
  [0]=>
  string(1) "1"
  [1]=>
  string(1) "2"
}
a value that cannot be packed spoils the batch: nothing of it is sent
DomainException: cannot be packed
value: true
OneHop\Unsupported, node none, may have executed: false
  A value in the batch could not be serialized or compressed: the command was not sent; see the exception that was thrown when it was queued
int(0)
DomainException: cannot be packed
value: true
OneHop\Unsupported, node none, may have executed: false
  A value in the batch could not be serialized or compressed: the command was not sent; see the exception that was thrown when it was queued
int(0)
DomainException: cannot be packed
array(2) {
  [0]=>
  string(1) "1"
  [1]=>
  string(1) "2"
}
int(0)
arguments that phpredis does not accept leave the batch as it was
ArgumentCountError: Redis::mget() expects exactly 1 argument, 2 given
ArgumentCountError: Redis::hGet() expects exactly 2 arguments, 1 given
[true,"kept"]
