--TEST--
Symfony's locks have one holder at a time or many readers, and can be refreshed and released
--FILE--
<?php
require __DIR__ . '/framework.inc';
framework('Symfony/Component/Lock');

use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\RedisStore;

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
?>
--EXPECT--
taken, refused, taken over: [20,20,20]
expires: [true,null,true,false]
two readers: [true,true,false]
then a writer: [true,true]
on several nodes
