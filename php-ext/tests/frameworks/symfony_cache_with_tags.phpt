--TEST--
Symfony's RedisTagAwareAdapter, with a hash tag as prefix, invalidates items by their tags
--FILE--
<?php
require __DIR__ . '/framework.inc';
framework('Symfony/Component/Cache');

use Symfony\Component\Cache\Adapter\RedisTagAwareAdapter;

/*
 * The adapter's script deletes keys that it does not declare, so they must be on the script's node:
 * see docs/frameworks.md.
 */
framework_story(function (callable $client) {
    $connect = function () use ($client) {
        $redis = $client();
        $redis->setOption(Redis::OPT_PREFIX, '{shop}:');
        return $redis;
    };
    $cache = new RedisTagAwareAdapter($connect(), 'app', 100);
    foreach (range(1, 40) as $i) {
        $cache->saveDeferred($cache->getItem("item.$i")->set($i)
            ->tag([$i % 2 ? 'odd' : 'even', "t.$i"]));
    }
    yield 'saved' => $cache->commit();
    $again = new RedisTagAwareAdapter($connect(), 'app', 100);
    $there = fn () => array_sum(array_map(
        fn ($item) => $item->isHit() ? $item->get() : 0,
        iterator_to_array($again->getItems(array_map(fn ($i) => "item.$i", range(1, 40)))),
    ));
    yield 'there' => $there();
    yield 'without odd' => [$again->invalidateTags(['odd']), $there()];
    yield 'without three' => [$again->invalidateTags(['t.2', 't.4', 't.6', 'nobody']), $there()];
    yield 'one deleted' => [
        $again->deleteItem('item.8'),
        $again->getItem('item.8')->isHit(),
        $there(),
    ];
    yield 'tag changed' => [
        $again->save($again->getItem('item.10')->set(10)->tag('new')),
        $again->invalidateTags(['even']),
        $there(),
    ];
    yield 'tags of a hit' => $again->getItem('item.10')->getMetadata()['tags'] ?? null;
    yield 'cleared' => [$again->clear(), $there()];
});
?>
--EXPECT--
saved: true
there: 820
without odd: [true,420]
without three: [true,408]
one deleted: [true,false,400]
tag changed: [true,true,10]
tags of a hit: {"new":"new"}
cleared: [true,0]
on 1 node(s)
