--TEST--
Laravel's queues of any name push, delay, reserve, release and delete jobs; limiters work
--FILE--
<?php
require __DIR__ . '/laravel.inc';

laravel_story(function (callable $app) {
    $app = $app();
    foreach (['default', 'mails', '{tagged}', 'deep:er'] as $name) {
        $queue = $app['queue']->connection();
        foreach (range(1, 5) as $i) {
            $queue->pushOn($name, 'Job', ['n' => $i]);
        }
        $queue->laterOn($name, 1000, 'Job', ['n' => 6]);
        $queue->laterOn($name, -10, 'Job', ['n' => 7]);
        yield "$name size" => $queue->size($name);
        $seen = [];
        for ($i = 0; $i < 3; $i++) {
            $job = $queue->pop($name);
            $seen[] = [$job->payload()['data']['n'], $job->attempts(), $job->getQueue()];
            $i === 1 ? $job->release(0) : $job->delete();
        }
        yield "$name taken, one put back" => [$seen, $queue->size($name)];
        for ($seen = []; $job = $queue->pop($name); $job->delete()) {
            $seen[] = [$job->payload()['data']['n'], $job->attempts()];
        }
        yield "$name the rest" => [
            $seen, $queue->size($name), $queue->clear($name), $queue->size($name),
        ];
        $queue->bulk(['One', 'Two', 'Three'], ['n' => 9], $name);
        yield "$name in bulk" => [
            $queue->size($name),
            $queue->pop($name)->payload()['job'],
            $queue->clear($name),
        ];
    }
    $redis = $app['redis']->connection();
    $throttled = fn () => $redis->throttle('limit')->allow(2)->every(60)->block(0)
        ->then(fn () => 'ran', fn () => 'too many');
    yield 'throttled' => [$throttled(), $throttled(), $throttled()];
    $funnel = fn () => $redis->funnel('funnel')->limit(2)->releaseAfter(60)->block(0);
    yield 'funnelled' => $funnel()->then(fn () => $funnel()->then(
        fn () => $funnel()->then(fn () => 'three', fn () => 'only two'),
        fn () => 'only one',
    ), fn () => 'none');
    $limiter = $app[Illuminate\Cache\RateLimiter::class];
    yield 'limited' => [
        $limiter->attempt('calls', 1, fn () => 'ran'),
        $limiter->attempt('calls', 1, fn () => 'ran'),
        $limiter->remaining('calls', 1),
    ];
    yield 'pipelined' => $redis->pipeline(function ($pipe) {
        foreach (range(1, 5) as $i) {
            $pipe->set("p:$i", $i);
        }
        $pipe->get('p:3');
    });
    yield 'in a transaction' => $redis->transaction(function ($transaction) {
        $transaction->incr('{x}:a');
        $transaction->incr('{x}:b', 5);
    });
});
?>
--EXPECT--
default size: 7
default taken, one put back: [[[1,1,"default"],[2,1,"default"],[3,1,"default"]],5]
default the rest: [[[4,1],[5,1],[7,1],[2,2]],1,1,0]
default in bulk: [3,"One",3]
mails size: 7
mails taken, one put back: [[[1,1,"mails"],[2,1,"mails"],[3,1,"mails"]],5]
mails the rest: [[[4,1],[5,1],[7,1],[2,2]],1,1,0]
mails in bulk: [3,"One",3]
{tagged} size: 7
{tagged} taken, one put back: [[[1,1,"{tagged}"],[2,1,"{tagged}"],[3,1,"{tagged}"]],5]
{tagged} the rest: [[[4,1],[5,1],[7,1],[2,2]],1,1,0]
{tagged} in bulk: [3,"One",3]
deep:er size: 7
deep:er taken, one put back: [[[1,1,"deep:er"],[2,1,"deep:er"],[3,1,"deep:er"]],5]
deep:er the rest: [[[4,1],[5,1],[7,1],[2,2]],1,1,0]
deep:er in bulk: [3,"One",3]
throttled: ["ran","ran","too many"]
funnelled: "only two"
limited: ["ran",false,0]
pipelined: [true,true,true,true,true,"3"]
in a transaction: [1,5]
