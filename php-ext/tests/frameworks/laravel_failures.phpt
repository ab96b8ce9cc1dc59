--TEST--
After a failure in a transaction, a pipeline or putMany(), Laravel's connection serves the next call
--FILE--
<?php
require __DIR__ . '/laravel.inc';

[$port, $id] = lab_redis_process();
$config = lab_config([lab_redis(), $port], ['hash_tag' => '"{}"']);
$app = laravel_app(laravel_onehop($config) + ['REDIS_CACHE_DB' => 0, 'REDIS_PREFIX' => '']);
$redis = $app['redis']->connection();
$cache = $app['cache']->store();
$cache->getStore()->setPrefix('');
['node-0' => $live, 'node-1' => $dies] = lab_key_of_each($config);

/** Runs a call and prints how it ended, and that the connection is usable. */
function tell(string $what, callable $call): void
{
    global $redis, $live;
    try {
        $told = json_encode($call());
    } catch (Throwable $e) {
        $told = get_class($e);
    }
    echo "$what: $told, then mode ", $redis->client()->getMode(), ', ',
        json_encode($redis->get("{{$live}}next")), "\n";
}
$redis->set("{{$live}}next", 'served');
$many = [];
for ($i = 0; $i < 20; $i++) {
    $many["item:$i"] = $i;
}
tell('putMany over both nodes', fn () => $cache->putMany($many, 60));
lab_show('all of it is there', $cache->many(array_keys($many)) == $many);
tell('a transaction over both nodes', fn () => $redis->transaction(
    fn ($transaction) => $transaction->set($live, 1)->set($dies, 1),
));
tell('the same, call by call', function () use ($redis, $live, $dies) {
    $redis->multi();
    $redis->set($live, 1);
    $redis->set($dies, 1);
    $redis->exec();
});
tell('a transaction over two queues', fn () => $redis->transaction(
    function () use ($app, $live, $dies) {
        $app['queue']->pushOn($live, 'One');
        $app['queue']->pushOn($dies, 'One');
    },
));
tell('a pipeline whose callback throws', fn () => $redis->pipeline(function ($pipe) use ($live) {
    $pipe->set($live, 'never');
    throw new LogicException();
}));
tell('a transaction whose callback throws', fn () => $redis->transaction(
    function ($transaction) use ($live) {
        $transaction->set($live, 'never');
        throw new LogicException();
    },
));
lab_show('neither command was executed', $redis->get($live));
tell('a bulk', function () use ($app) {
    $app['queue']->bulk(['One', 'Two'], ['n' => 9], 'mails');
    return $app['queue']->size('mails');
});
tell('waiting for a job', fn () => $app['queue']->connection('waiting')->pop('none'));
tell('a transaction', fn () => $redis->transaction(fn ($t) => $t->incr('{x}a')->incr('{x}a')));

echo "a node dies\n";
Lab::stop($id);
tell('putMany', fn () => $cache->putMany($many, 60));
tell('putMany on that node', fn () => $cache->putMany([$dies => 1, "{{$dies}}b" => 2], 60));
tell('a transaction', fn () => $redis->transaction(fn ($t) => $t->set($dies, 1)));
tell('call by call', function () use ($redis, $dies) {
    $redis->multi();
    $redis->set($dies, 1);
    $redis->exec();
});
lab_redis_at($port);
$end = microtime(true) + 30;
do {
    try {
        $isBack = $cache->put($dies, 'back', 60);
    } catch (OneHop\NodeDown) {
        usleep(10000);
    }
} while (!isset($isBack) && microtime(true) < $end);
lab_show('the keys of the node, when it is back', [$cache->get($dies), $cache->putMany($many, 60)]);
?>
--EXPECT--
putMany over both nodes: true, then mode 0, "served"
all of it is there: true
a transaction over both nodes: OneHop\CrossNode, then mode 0, "served"
the same, call by call: OneHop\CrossNode, then mode 0, "served"
a transaction over two queues: OneHop\CrossNode, then mode 0, "served"
a pipeline whose callback throws: LogicException, then mode 0, "served"
a transaction whose callback throws: LogicException, then mode 0, "served"
neither command was executed: null
a bulk: 2, then mode 0, "served"
waiting for a job: null, then mode 0, "served"
a transaction: [1,2], then mode 0, "served"
a node dies
putMany: OneHop\PartialBatch, then mode 0, "served"
putMany on that node: OneHop\NodeDown, then mode 0, "served"
a transaction: OneHop\NodeDown, then mode 0, "served"
call by call: OneHop\NodeDown, then mode 0, "served"
the keys of the node, when it is back: ["back",true]
