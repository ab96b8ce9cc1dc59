--TEST--
Laravel on OneHop finds what it has written through nutcracker, and nutcracker what OneHop writes
--FILE--
<?php
require __DIR__ . '/laravel.inc';

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
lab_show('a session of before', $next->get('user'));
?>
--EXPECT--
written through nutcracker: 820
written by OneHop: 820
a session of before: 7
