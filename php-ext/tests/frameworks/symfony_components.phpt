--TEST--
Symfony's components for caches, tags, locks and sessions behave as on one server
--FILE--
<?php
require __DIR__ . '/framework.inc';
framework('Symfony/Component/Cache', 'Symfony/Component/HttpFoundation', 'Symfony/Component/Lock');

use Symfony\Component\Cache\Adapter\RedisAdapter;
use Symfony\Component\Cache\Adapter\RedisTagAwareAdapter;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\RedisSessionHandler;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\RedisStore;

echo "-- RedisAdapter keeps its items on all nodes\n";
framework_story(function (callable $client) {
    $cache = new RedisAdapter($client(), 'app', 100);
    foreach (range(1, 40) as $i) {
        $cache->saveDeferred($cache->getItem("item.$i")->set(['n' => $i])->expiresAfter(1000));
    }
    yield 'forty items saved together' => $cache->commit();
    $again = new RedisAdapter($client(), 'app', 100);
    yield 'their sum' => array_sum(array_map(
        fn ($item) => $item->get()['n'],
        iterator_to_array($again->getItems(array_map(fn ($i) => "item.$i", range(1, 40)))),
    ));
    yield 'hit and miss' => [
        $again->getItem('item.7')->isHit(), $again->getItem('item.99')->isHit(),
        $again->hasItem('item.8'), $again->hasItem('item.88'),
    ];
    $computed = 0;
    $value = function ($item) use (&$computed) {
        $item->expiresAfter(60);
        return 'computed ' . ++$computed;
    };
    yield 'computed once' => [$again->get('lazy', $value), $again->get('lazy', $value)];
    yield 'deleted' => [
        $again->delete('lazy'),
        $again->deleteItems(['item.1', 'item.2', 'item.3']),
        $again->hasItem('item.2'),
    ];
    yield 'a permanent item' => [
        $again->save($again->getItem('for ever')->set(null)),
        $again->getItem('for ever')->isHit(),
        $again->getItem('for ever')->get(),
    ];
    $other = new RedisAdapter($client(), 'other');
    $other->save($other->getItem('item.5')->set('other'));
    yield 'a prefix cleared' => [
        $again->clear('item.1'),
        $again->hasItem('item.15'),
        $again->hasItem('item.25'),
    ];
    yield 'a namespace cleared' => [
        $again->clear(),
        $again->hasItem('item.25'),
        $other->getItem('item.5')->get(),
    ];
    yield 'all cleared' => [(new RedisAdapter($client()))->clear(), $other->hasItem('item.5')];
    $isPruneable = $again instanceof Symfony\Component\Cache\PruneableInterface;
    yield 'pruned by the server alone' => $isPruneable;
});

echo "-- RedisTagAwareAdapter, with a hash tag as prefix, invalidates items by tags\n";
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

echo "-- RedisStore: locks have one holder at a time, or many readers\n";
framework_story(function (callable $client) {
    $one = new LockFactory(new RedisStore($client()));
    $two = new LockFactory(new RedisStore($client()));
    $taken = $refused = $released = 0;
    foreach (range(1, 20) as $i) {
        $mine = $one->createLock("resource.$i", 30);
        $theirs = $two->createLock("resource.$i", 30);
        $taken += $mine->acquire();
        $refused += !$theirs->acquire();
        $mine->refresh();
        $mine->release();
        $released += $theirs->acquire() && !$mine->isAcquired() && $theirs->isAcquired();
        $theirs->release();
    }
    yield 'taken, refused, taken over' => [$taken, $refused, $released];
    $lock = $one->createLock('short', 1.0);
    yield 'expires' => [
        $lock->acquire(), usleep(1200000), $two->createLock('short')->acquire(),
        $lock->isAcquired(),
    ];
    $readers = [$one->createLock('shared'), $two->createLock('shared')];
    yield 'two readers' => [
        $readers[0]->acquireRead(),
        $readers[1]->acquireRead(),
        $one->createLock('shared')->acquire(),
    ];
    $readers[0]->release();
    $readers[1]->release();
    yield 'then a writer' => [
        $one->createLock('shared')->acquire(),
        $two->createLock('shared')->acquireRead(),
    ];
});

echo "-- RedisSessionHandler keeps sessions on all nodes\n";
framework_story(function (callable $client) {
    $kept = $gone = 0;
    foreach (range(1, 20) as $i) {
        $id = hash('md5', "session $i");
        $handler = new RedisSessionHandler($client(), ['prefix' => 'sf_s', 'ttl' => 600]);
        $handler->open('', 'PHPSESSID');
        $handler->read($id);
        $handler->write($id, "user|i:$i;");
        $handler->close();
        $next = new RedisSessionHandler($client(), ['prefix' => 'sf_s', 'ttl' => 600]);
        $next->open('', 'PHPSESSID');
        $kept += $next->validateId($id) && $next->read($id) === "user|i:$i;" && $next
            ->updateTimestamp($id, "user|i:$i;");
        @$next->destroy($id);
        $gone += $client()->exists("sf_s$id") === 0;
        $next->close();
    }
    yield 'kept and found' => $kept;
    yield 'destroyed' => $gone;
    yield 'collected by the server' => is_int((new RedisSessionHandler($client()))->gc(1));
});
?>
--EXPECT--
-- RedisAdapter keeps its items on all nodes
forty items saved together: true
their sum: 820
hit and miss: [true,false,true,false]
computed once: ["computed 1","computed 1"]
deleted: [true,true,false]
a permanent item: [true,true,null]
a prefix cleared: [true,false,true]
a namespace cleared: [true,false,"other"]
all cleared: [true,false]
pruned by the server alone: false
on several nodes
-- RedisTagAwareAdapter, with a hash tag as prefix, invalidates items by tags
saved: true
there: 820
without odd: [true,420]
without three: [true,408]
one deleted: [true,false,400]
tag changed: [true,true,10]
tags of a hit: {"new":"new"}
cleared: [true,0]
on 1 node(s)
-- RedisStore: locks have one holder at a time, or many readers
taken, refused, taken over: [20,20,20]
expires: [true,null,true,false]
two readers: [true,true,false]
then a writer: [true,true]
on several nodes
-- RedisSessionHandler keeps sessions on all nodes
kept and found: 20
destroyed: 20
collected by the server: true
on several nodes
