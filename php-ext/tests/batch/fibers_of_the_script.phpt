--TEST--
Fibers share a client: one that is suspended in the middle of a call does not disturb the others
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

final class Pause
{
    public function __serialize(): array
    {
        return [];
    }
    public function __unserialize(array $data): void
    {
        if (Fiber::getCurrent()) {
            Fiber::suspend('paused');
        }
    }
}
$config = lab_config([lab_redis(), lab_redis(), lab_redis()]);
$redis = new OneHop\Redis('alpha', $config);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$keys = [];
for ($i = 0; $i < 20; $i++) {
    $redis->set($keys[] = "key:$i", $i % 5 === 2 ? new Pause() : "value $i");
}
$all = function (array $values) {
    $wrong = count($values) !== 20;
    foreach ($values as $i => $value) {
        $wrong += $i % 5 === 2 ? !$value instanceof Pause : $value !== "value $i";
    }
    return $wrong;
};
$batch = function () use ($redis, $keys) {
    $redis->pipeline();
    foreach ($keys as $key) {
        $redis->get($key);
    }
    return $redis->exec();
};
$fibers = [];
foreach ([
    $batch, fn () => $redis->mget($keys), $batch,
    fn () => array_map(fn ($key) => $redis->get($key), $keys),
] as $job) {
    $fibers[] = $fiber = new Fiber($job);
    $fiber->start();
    echo $fiber->isSuspended() ? 'suspended, ' : 'odd, ', 'meanwhile: ', $all($redis->mget($keys)),
        ' ', $all($batch()), "\n";
}
while (array_filter($fibers, fn ($fiber) => $fiber->isSuspended())) {
    foreach ($fibers as $fiber) {
        if ($fiber->isSuspended()) {
            $fiber->resume();
        }
    }
}
foreach ($fibers as $fiber) {
    echo 'in the end: ', $all($fiber->getReturn()), "\n";
}

echo "a fiber that is never resumed\n";
$fiber = new Fiber($batch);
$fiber->start();
unset($fiber);
gc_collect_cycles();
echo 'after it: ', $all($batch()), ' ', $all($redis->mget($keys)), "\n";

echo "many fibers, which stop and go on in a random order\n";
mt_srand(16);
final class Turn
{
    /** Suspends in the middle of the call that reads the value. */
    public function __construct(public string $of)
    {
    }
    public function __unserialize(array $data): void
    {
        $this->of = $data['of'];
        if (Fiber::getCurrent()) {
            Fiber::suspend();
        }
    }
}
$of = static fn ($value) => is_array($value)
    ? array_map(static fn ($one) => $one instanceof Turn ? $one->of : $one, $value)
    : $value->of;
$work = static function (int $number) use ($redis, $of): array {
    $wrong = [];
    for ($round = 0; $round < 15; $round++) {
        $own = array_map(static fn ($i) => "fiber:$number:$round:$i", range(0, 5));
        $values = array_map(static fn ($key) => new Turn("of $key"), $own);
        $expected = array_map(static fn ($key) => "of $key", $own);
        $redis->mset(array_combine($own, $values));
        $found = match (mt_rand(0, 5)) {
            0 => $of($redis->mget($own)),
            1 => array_map(static fn ($key) => $of($redis->get($key)), $own),
            2 => $of((static function () use ($redis, $own) {
                $redis->pipeline();
                foreach ($own as $key) {
                    $redis->get($key);
                }
                return $redis->exec();
            })()),
            3 => array_map(static fn ($key) => $of($redis->getSet($key, new Turn(''))), $own),
            4 => (static function () use ($redis, $own, $values, $of) {
                $redis->hMSet("h:$own[0]", array_combine($own, $values));
                return array_values(array_map($of, $redis->hGetAll("h:$own[0]")));
            })(),
            5 => (static function () use ($redis, $own, $values, $of) {
                $redis->multi();
                $redis->del("l:$own[0]");
                $redis->rPush("l:$own[0]", ...$values);
                return $of($redis->exec()) === [] ? [] : $of($redis->lRange("l:$own[0]", 0, -1));
            })(),
        };
        if ($found !== $expected) {
            $wrong[] = [$found, $expected];
        }
    }
    return $wrong;
};
$fibers = [];
for ($number = 0; $number < 20; $number++) {
    $fibers[] = new Fiber($work);
    $fibers[$number]->start($number);
}
for ($turns = 0; $open = array_filter($fibers, fn ($fiber) => $fiber->isSuspended()); $turns++) {
    $open[array_rand($open)]->resume();
}
lab_show('wrong', array_merge(...array_map(fn ($fiber) => $fiber->getReturn(), $fibers)));
lab_show('thousands of turns', $turns > 1000);

echo "an exception in one of the fibers\n";
$redis->set('turn', new Turn('late'));
$failing = new Fiber(fn () => $redis->get('turn'));
$failing->start();
lab_show('meanwhile', $all($redis->mget($keys)));
try {
    $failing->throw(new LogicException('from outside'));
} catch (LogicException $e) {
    lab_show('thrown', $e->getMessage());
}
lab_show('after it', $all($redis->mget($keys)));

echo "what is open belongs to the client, as with phpredis\n";
$redis->pipeline();
$other = new Fiber(function () use ($redis) {
    $redis->set('other', 'queued, too');
});
$redis->set('one', '1');
$other->start();
lab_show('exec', $redis->exec());
$left = new Fiber($batch);
$left->start();
?>
--EXPECT--
suspended, meanwhile: 0 0
suspended, meanwhile: 0 0
suspended, meanwhile: 0 0
suspended, meanwhile: 0 0
in the end: 0
in the end: 0
in the end: 0
in the end: 0
a fiber that is never resumed
after it: 0 0
many fibers, which stop and go on in a random order
wrong: []
thousands of turns: true
an exception in one of the fibers
meanwhile: 0
thrown: "from outside"
after it: 0
what is open belongs to the client, as with phpredis
exec: [true,true]
