--TEST--
Symfony's RedisAdapter keeps its items on all nodes as on one server
--FILE--
<?php
require __DIR__ . '/framework.inc';
framework('Symfony/Component/Cache');

use Symfony\Component\Cache\Adapter\RedisAdapter;

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
?>
--EXPECT--
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
