--TEST--
A fiber that is suspended in the middle of a batch does not disturb the other fibers
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
