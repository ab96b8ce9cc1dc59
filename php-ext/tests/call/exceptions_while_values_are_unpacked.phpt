--TEST--
An exception while a value is unpacked fails that node alone and leaves nothing behind
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

final class Bomb
{
    public function __serialize(): array
    {
        return [];
    }
    public function __unserialize(array $data): void
    {
        throw new DomainException('bomb');
    }
}
$config = lab_config(['127.0.0.1:' . lab_redis() . ':1 a', '127.0.0.1:' . lab_redis() . ':1 b']);
$redis = new OneHop\Redis('alpha', $config);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
['a' => $a, 'b' => $b] = lab_key_of_each($config);
$redis->mset([$a => 'value a', $b => 'value b']);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
$redis->hMset("h:$a", ['x' => 1]);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$where = (new OneHop\Topology('alpha', $config))->locate('bomb')->name;
$redis->set('bomb', new Bomb());
$beside = $where === 'a' ? $a : $b;
$apart = $where === 'a' ? $b : $a;

lab_tell(fn () => $redis->get('bomb'));
lab_tell(fn () => $redis->get($beside) === $redis->get($beside));
lab_tell(fn () => $redis->mget(['bomb', $beside]));
lab_tell(fn () => $redis->get($beside) === "value $where");
lab_tell(fn () => $redis->pipeline()->get('bomb')->get($beside)->exec());
lab_tell(fn () => $redis->get($beside) === "value $where");
try {
    $redis->pipeline()->get($apart)->get('bomb')->get($apart)->get($beside)->exec();
} catch (OneHop\PartialBatch $e) {
    [$first, $second, $third, $fourth] = $e->getReplies();
    var_dump(
        $first === $third && str_starts_with($first, 'value'),
        $second === $fourth,
        get_class($second),
        $second->getNode() === $where,
        $second->mayHaveExecuted(),
        get_class($second->getPrevious()),
        $second->getPrevious()->getMessage(),
    );
}
lab_tell(fn () => $redis->mget([$a, $b]));
?>
--EXPECT--
DomainException: bomb
value: true
DomainException: bomb
value: true
DomainException: bomb
value: true
bool(true)
bool(true)
string(16) "OneHop\Exception"
bool(true)
bool(true)
string(15) "DomainException"
string(4) "bomb"
value: ["value a","value b"]
