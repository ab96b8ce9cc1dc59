--TEST--
Batches that join, leave or upset the express lane return what phpredis returns, in the same order
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_redis();
$plain = lab_plain($port);
$redis = new OneHop\Redis('alpha', lab_config([$port]));

/* Makes the same calls on plain phpredis and on OneHop, each with an empty server. */
function compare(string $what, callable $calls): void
{
    global $plain, $redis;
    $seen = [];
    foreach ([$plain, $redis] as $client) {
        $plain->flushAll();
        $client->clearLastError();
        try {
            $replies = $calls($client);
        } catch (RedisException $exception) {
            $replies = $exception->getMessage();
        }
        $client->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
        $client->setOption(Redis::OPT_PREFIX, '');
        $seen[] = [$replies, $client->getLastError(), $plain->keys('*')];
    }
    echo $what, ': ', $seen[0] === $seen[1] ? count((array) $seen[0][0]) : 'other', " replies\n";
    if ($seen[0] !== $seen[1]) {
        var_dump($seen);
    }
}

compare('every form of reply', fn ($client) => $client->pipeline()
    ->set('a', 1)->set('a', 'text', 60)->get('a')->get('none')->setnx('a', 2)->ttl('a')->incr('n')
    ->hMset('h', ['x' => '', 7 => 'seven', 'y' => 3])->hMget('h', ['x', 'y', 'none', 7, '8'])
    ->hGetAll('h')->hKeys('h')->hVals('none')->hIncrBy('h', 'y', -5)->zAdd('z', 1, 'one', 2, 'two')
    ->zScore('z', 'two')->zScore('z', 'none')->zIncrBy('z', 3, 'one')->zRange('z', 0, -1)
    ->zRank('z', 'none')->rPush('l', 'a', '', 5)->lRange('l', 0, -1)->lPop('l')->lIndex('l', 9)
    ->mget(['a', 'none', 'n'])->sAdd('s', 'm', 'm')->sIsMember('s', 'm')->sMembers('s')
    ->exists('a', 'n', 'none')->del(['a', 'n'])->del('h')->exec());
compare('another method in the middle', fn ($client) => $client->pipeline()
    ->set('a', 1)->incr('a')->rawCommand('INCR', 'a')->get('a')->incr('a')->exec());
compare('another method first', fn ($client) => $client->pipeline()
    ->type('a')->set('a', 1)->get('a')->exec());
compare('odd arguments', fn ($client) => $client->pipeline()
    ->set('a', 1.5)->set('b', null)->set('c', true)->get('a')->hSet('h', 'f', 2)->hGet('h', 'f')
    ->mget(['a', 'b', 'c'])->set('d', 'x', ['nx', 'ex' => 9])->setex('e', '60', 'x')->exec());
compare('errors', fn ($client) => $client->pipeline()
    ->set('a', 'x')->get('a')->lPush('a', 1)->get('a')->incr('a')->hGetAll('a')->get('a')->exec());
compare('an error that is thrown', fn ($client) => $client->pipeline()
    ->set('a', 'x')->rawCommand('OBJECT', 'HELP')->exec());
compare('a serializer from the middle on', function ($client) {
    $client->pipeline()->set('a', 'plain')->set('n', 5);
    $client->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
    return $client->set('b', [1, 2])->get('b')->exec();
});
compare('a prefix from the middle on', function ($client) {
    $client->pipeline()->set('a', 1)->mget(['a']);
    $client->setOption(Redis::OPT_PREFIX, 'p:');
    return $client->set('a', 2)->get('a')->mget(['a', 'b'])->del('a', 'b')->exec();
});
compare('a transaction in the middle', fn ($client) => $client->pipeline()
    ->set('a', 1)->multi()->incr('a')->get('a')->exec()->get('a')->exec());
compare('a large value', fn ($client) => $client->pipeline()
    ->set('a', str_repeat('large', 200000))->get('a')->set('b', 2)->get('b')->get('a')->exec());
compare('a large list', fn ($client) => $client->pipeline()
    ->rPush('l', ...array_fill(0, 40000, 'element'))->lRange('l', 0, -1)->lLen('l')->exec());
compare('nothing', fn ($client) => $client->pipeline()->exec());
compare('dropped', function ($client) {
    $client->pipeline()->set('a', 1)->get('a');
    $client->discard();
    return $client->get('a');
});
compare('single calls', fn ($client) => [
    $client->set('a', 5), $client->get('a'), $client->lPush('a', 1), $client->incr('a'),
    $client->hGetAll('none'), $client->mget(['a', 'b']), $client->del('a'),
]);
?>
--EXPECT--
every form of reply: 30 replies
another method in the middle: 5 replies
another method first: 3 replies
odd arguments: 9 replies
errors: 7 replies
an error that is thrown: 2 replies
a serializer from the middle on: 4 replies
a prefix from the middle on: 6 replies
a transaction in the middle: 3 replies
a large value: 5 replies
a large list: 3 replies
nothing: 0 replies
dropped: 1 replies
single calls: 7 replies
