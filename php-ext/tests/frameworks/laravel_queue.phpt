--TEST--
Laravel's queue pushes, delays, reserves, releases and deletes jobs; throttles and funnels work
--FILE--
<?php
require __DIR__ . '/laravel.inc';

use Illuminate\Queue\RedisQueue;

framework_story(function (callable $client) {
    foreach (['{mail}', '{video}', '{reports}'] as $name) {
        $queue = new RedisQueue(laravel_redis($client), $name, 'default', 60);
        $queue->setContainer(new Illuminate\Container\Container());
        $queue->setConnectionName('redis');
        foreach (range(1, 5) as $i) {
            $queue->push('Job', ['n' => $i]);
        }
        $queue->later(1000, 'Job', ['n' => 6]);
        $queue->later(-10, 'Job', ['n' => 7]);
        yield "$name size" => $queue->size();
        $seen = [];
        for ($i = 0; $i < 3; $i++) {
            $job = $queue->pop();
            $seen[] = [$job->payload()['data']['n'], $job->attempts()];
            $i === 1 ? $job->release(0) : $job->delete();
        }
        yield "$name taken, one put back" => [$seen, $queue->size()];
        for ($seen = []; $job = $queue->pop(); $job->delete()) {
            $seen[] = [$job->payload()['data']['n'], $job->attempts()];
        }
        yield "$name the rest" => [$seen, $queue->size(), $queue->clear($name), $queue->size()];
        $waiting = new RedisQueue(laravel_redis($client), $name, 'default', 60, 1);
        $waiting->setContainer(new Illuminate\Container\Container());
        $waiting->setConnectionName('redis');
        $queue->bulk(['One', 'Two', 'Three'], ['n' => 9]);
        yield "$name in bulk" => [
            $queue->size(),
            $queue->pop()->payload()['job'],
            $queue->clear($name),
        ];
        $queue->push('Job', ['n' => 8]);
        yield "$name with waiting" => [$waiting->pop()->payload()['data']['n'], $waiting->pop()];
    }
    $redis = laravel_redis($client)->connection();
    $throttled = fn () => $redis->throttle('limit')->allow(2)->every(60)->block(0)
        ->then(fn () => 'ran', fn () => 'too many');
    yield 'throttled' => [$throttled(), $throttled(), $throttled()];
    yield 'funnelled' => $redis->funnel('{funnel}')->limit(1)->releaseAfter(60)->block(0)->then(
        fn () => $redis->funnel('{funnel}')->limit(1)->releaseAfter(60)->block(0)
            ->then(fn () => 'both', fn () => 'only one'),
        fn () => 'none',
    );
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
{mail} size: 7
{mail} taken, one put back: [[[1,1],[2,1],[3,1]],5]
{mail} the rest: [[[4,1],[5,1],[7,1],[2,2]],1,1,0]
{mail} in bulk: [3,"One",3]
{mail} with waiting: [8,null]
{video} size: 7
{video} taken, one put back: [[[1,1],[2,1],[3,1]],5]
{video} the rest: [[[4,1],[5,1],[7,1],[2,2]],1,1,0]
{video} in bulk: [3,"One",3]
{video} with waiting: [8,null]
{reports} size: 7
{reports} taken, one put back: [[[1,1],[2,1],[3,1]],5]
{reports} the rest: [[[4,1],[5,1],[7,1],[2,2]],1,1,0]
{reports} in bulk: [3,"One",3]
{reports} with waiting: [8,null]
throttled: ["ran","ran","too many"]
funnelled: "only one"
pipelined: [true,true,true,true,true,"3"]
in a transaction: [1,5]
on several nodes
