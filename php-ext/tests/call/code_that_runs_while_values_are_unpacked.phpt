--TEST--
Script code that runs while values are packed or unpacked may use the client, throw or exit
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
final class Leaver
{
    public function __serialize(): array
    {
        return [];
    }
    public function __unserialize(array $data): void
    {
        echo "leaving\n";
        exit(0);
    }
}
$config = lab_config([lab_redis(), lab_redis(), lab_redis(), lab_redis()]);
$redis = Curious::$redis = new OneHop\Redis('alpha', $config);

echo "-- the code uses the client: replies stay in place\n";
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
lab_show('wrong, GET', $check(array_map(fn ($key) => $redis->get($key), $keys)));
lab_show('wrong, MGET', $check($redis->mget($keys)));
$redis->pipeline();
foreach ($keys as $key) {
    $redis->get($key);
}
lab_show('wrong, pipeline', $check($redis->exec()));
$redis->pipeline();
foreach ($keys as $key) {
    $redis->set($key, new Curious($key));
}
lab_show('packed in a pipeline', array_unique($redis->exec()));
lab_show('count', $redis->incr('count'));

echo "-- an exception fails its node alone, and leaves nothing behind\n";
$keys = lab_key_of_each($config);
ksort($keys);
$redis->mset(array_combine($keys, array_map(fn ($node) => "value $node", array_keys($keys))));
$where = (new OneHop\Topology('alpha', $config))->locate('bomb')->name;
$redis->set('bomb', new Bomb());
$beside = $keys[$where];
$apart = current(array_diff($keys, [$beside]));
$is_right = fn () => $redis->get($beside) === "value $where";
lab_tell(fn () => $redis->get('bomb'));
lab_show('the next GET', $is_right());
lab_tell(fn () => $redis->mget(['bomb', $beside]));
lab_show('the next GET', $is_right());
lab_tell(fn () => $redis->pipeline()->get('bomb')->get($beside)->exec());
lab_show('the next GET', $is_right());
try {
    $redis->pipeline()->get($apart)->get('bomb')->get($apart)->get($beside)->exec();
} catch (OneHop\PartialBatch $e) {
    [$first, $second, $third, $fourth] = $e->getReplies();
    lab_show('another node', $first === $third && str_starts_with($first, 'value'));
    lab_show('one failure', $second === $fourth);
    lab_show('of its node', [get_class($second), $second->getNode() === $where]);
    lab_show('may have executed', $second->mayHaveExecuted());
    lab_show('because of', get_class($second->getPrevious()));
    lab_show('which says', $second->getPrevious()->getMessage());
}
lab_show('MGET', $redis->mget(array_values($keys)));

echo "-- exit() ends the script, and the client works in shutdown functions\n";
$keys = array_values($keys);
foreach ($keys as $i => $key) {
    $redis->set($key, "value $i");
}
$redis->set('leaver', new Leaver());
register_shutdown_function(function () use ($redis, $keys) {
    lab_show('MGET', $redis->mget($keys));
    $redis->pipeline();
    foreach ($keys as $key) {
        $redis->get($key);
    }
    lab_show('a pipeline', $redis->exec());
});
$redis->pipeline();
foreach ($keys as $key) {
    $redis->get($key)->get('leaver')->get($key);
}
$redis->exec();
echo "not reached\n";
?>
--EXPECT--
-- the code uses the client: replies stay in place
wrong, GET: 0
wrong, MGET: 0
wrong, pipeline: 0
packed in a pipeline: [true]
count: 181
-- an exception fails its node alone, and leaves nothing behind
DomainException: bomb
the next GET: true
DomainException: bomb
the next GET: true
DomainException: bomb
the next GET: true
another node: true
one failure: true
of its node: ["OneHop\\Exception",true]
may have executed: true
because of: "DomainException"
which says: "bomb"
MGET: ["value node-0","value node-1","value node-2","value node-3"]
-- exit() ends the script, and the client works in shutdown functions
leaving
MGET: ["value 0","value 1","value 2","value 3"]
a pipeline: ["value 0","value 1","value 2","value 3"]
