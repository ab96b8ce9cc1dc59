--TEST--
Laravel's cache keeps values, counters, locks, tags and stale tags on all nodes
--FILE--
<?php
require __DIR__ . '/laravel.inc';

laravel_story(function (callable $app) {
    $first = $app();
    $cache = $first['cache']->store();
    foreach (range(1, 40) as $i) {
        $cache->put("item:$i", ['n' => $i], 600);
    }
    $other = $app();
    $again = $other['cache']->store();
    yield 'many' => array_sum(
        array_column($again->many(array_map(fn ($i) => "item:$i", range(1, 40))), 'n'),
    );
    yield 'hit, miss, default' => [
        $again->get('item:3'), $again->get('item:99'), $again->get('item:99', 'none'),
        $again->has('item:4'), $again->missing('item:4'),
    ];
    yield 'added once' => [
        $again->add('once', 1, 60),
        $again->add('once', 2, 60),
        (int) $again->get('once'),
    ];
    yield 'counted' => [
        $again->increment('n'), $again->increment('n', 5), $again->decrement('n', 2),
        (int) $again->get('n'),
    ];
    yield 'remembered' => [
        $again->remember('r', 60, fn () => 'first'),
        $again->remember('r', 60, fn () => 'second'),
        $again->rememberForever('e', fn () => 'ever'),
    ];
    yield 'pulled' => [
        $again->pull('r'), $again->pull('r'), $again->forget('item:5'), $again->forget('item:5'),
    ];
    $lock = $again->lock('job', 30);
    yield 'locked' => [
        $lock->get(), $cache->lock('job', 30)->get(), $lock->release(),
        $cache->lock('job', 30)->get(fn () => 'ran'),
    ];
    $artists = $again->tags(['artists']);
    $artists->put('anne', 'Anne', 60);
    $authors = $again->tags(['authors', 'people']);
    $authors->put('john', 'John', 60);
    foreach (range(1, 20) as $i) {
        $artists->put("artist:$i", $i, 60);
    }
    yield 'tagged' => [$artists->get('anne'), $authors->get('john'), $again->get('anne')];
    yield 'artists flushed' => [$again->tags('artists')->flush(), $authors->get('john')];
    // Laravel 10 begins with cursor 0, with which phpredis 6 finds no keys.
    yield 'compared only: the artist' => $artists->get('anne');
    yield 'put together' => [
        $again->putMany(['a' => 1, 'b' => 2, 'c' => [3]], 60),
        array_map(
            fn ($value) => is_array($value) ? $value : (int) $value,
            $again->many(['a', 'b', 'c']),
        ),
    ];
    /*
     * Scans as RedisStore::currentTags() of Laravel 9 to 11 does for `cache:prune-stale-tags`.
     * phpredis 6.1 and later find no keys.
     */
    foreach (range(1, 50) as $i) {
        $again->put("tag:t$i:entries", $i, 60);
    }
    $connection = $again->getStore()->connection();
    $tags = [];
    $cursor = '0';
    do {
        [$cursor, $chunk] = $connection->scan(
            $cursor,
            ['match' => 'laravel_database_laravel_cache_*tag:*:entries', 'count' => 10],
        );
        $tags = array_merge($tags, (array) $chunk);
    } while ((string) $cursor !== '0' && is_array($chunk));
    yield 'compared only: tags found' => count(array_unique($tags));
    if (method_exists($again->getStore(), 'flushStaleTags')) {
        $prefix = $again->getStore()->getPrefix();
        $again->tags(['stale'])->put('late', 1, 600);
        $connection->zAdd("{$prefix}tag:stale:entries", 1, 'gone');
        $again->getStore()->flushStaleTags();
        yield 'compared only: stale tags pruned' => $connection->zScore(
            "{$prefix}tag:stale:entries",
            'gone',
        );
    }
    $session = $other['session']->driver();
    $session->put('user', 7);
    $session->save();
    $next = $app()['session']->driver();
    $next->setId($session->getId());
    $next->start();
    yield 'a session' => $next->get('user');
    yield 'flushed' => [$again->flush(), $again->get('item:1'), $cache->get('a')];
});

echo "what was written through nutcracker is found, and the other way round\n";
$config = lab_config([lab_redis(), lab_redis(), lab_redis()], ['hash_tag' => '"{}"']);
// nutcracker refuses SELECT, so its applications name no database.
$before = laravel_app([
    'REDIS_CLIENT' => 'phpredis', 'REDIS_PORT' => lab_nutcracker($config), 'REDIS_DB' => 'null',
    'REDIS_CACHE_DB' => 'null',
]);
$now = laravel_app(laravel_onehop($config) + ['REDIS_CACHE_DB' => '0']);

$items = array_map(fn ($i) => "item:$i", range(1, 40));
$found = function ($writes, $reads) use ($items): int {
    foreach ($items as $i => $name) {
        $writes['cache']->put($name, $i + 1, 600);
    }
    return array_sum(array_map(fn ($name) => (int) $reads['cache']->get($name), $items));
};
lab_show('written through nutcracker', $found($before, $now));
$now['cache']->flush();
lab_show('written by OneHop', $found($now, $before));

$session = $before['session']->driver();
$session->put('user', 7);
$session->save();
$next = $now['session']->driver();
$next->setId($session->getId());
$next->start();
lab_show('a session that nutcracker has stored', $next->get('user'));
?>
--EXPECT--
many: 820
hit, miss, default: [{"n":3},null,"none",true,false]
added once: [true,false,1]
counted: [1,6,4,4]
remembered: ["first","first","ever"]
pulled: ["first",null,true,false]
locked: [true,false,true,"ran"]
tagged: ["Anne","John",null]
artists flushed: [true,"John"]
put together: [true,{"a":1,"b":2,"c":[3]}]
a session: 7
flushed: [true,null,null]
what was written through nutcracker is found, and the other way round
written through nutcracker: 820
written by OneHop: 820
a session that nutcracker has stored: 7
