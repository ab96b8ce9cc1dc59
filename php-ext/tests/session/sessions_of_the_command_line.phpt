--TEST--
Many sessions in one long process, renewed, destroyed or refused, leave nothing in memory
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config($ports = [lab_redis(), lab_redis()]);
$redis = new OneHop\Redis('alpha', $config);
$told = [];
set_error_handler(function (int $level, string $text) use (&$told): bool {
    $told[] = $text;
    return true;
});
$set = function (array $settings): void {
    foreach ($settings as $name => $value) {
        ini_set($name, $value);
    }
};
$set([
    'session.save_handler' => 'onehop', 'session.save_path' => "pool=alpha&config=$config",
    'session.use_cookies' => 0, 'session.cache_limiter' => '', 'redis.session.locking_enabled' => 1,
    'redis.session.lock_expire' => 20, 'redis.session.lock_wait_time' => 1000,
    'redis.session.lock_retries' => 1,
]);
$counts = [];
for ($i = 0; $i < 30; $i++) {
    session_id('s' . $i % 3);
    session_start();
    $_SESSION['n'] = ($_SESSION['n'] ?? 0) + 1;
    $counts[] = $_SESSION['n'];
    match ($i % 10) {
        7 => session_regenerate_id(),
        8 => session_reset(),
        9 => session_destroy(),
        default => session_write_close(),
    };
    session_write_close();
}
$results = [];
foreach ([
    "pool=alpha&config=$config&pool=beta", "pool=none&config=$config", 'colour=blue', '=', '&',
    'pool=' . str_repeat('x', 1000),
] as $path) {
    $set(['session.save_path' => $path]);
    $results[] = session_start();
}
$set(['session.save_path' => "pool=alpha&config=$config"]);
$redis->lPush('PHPREDIS_SESSION:list', 1);
session_id('list');
$results[] = session_start();
$redis->set('PHPREDIS_SESSION:held_LOCK', 'another client');
session_id('held');
$results[] = session_start();
$redis->del('PHPREDIS_SESSION:held_LOCK');
$results[] = session_start();
session_write_close();
restore_error_handler();
echo implode(' ', $counts), "\n", json_encode($results), "\n";
foreach (array_unique($told) as $text) {
    if (!str_contains($text, 'Failed to')) {
        echo substr(lab_hide($text), 0, 110), "\n";
    }
}
echo implode(' ', array_map(fn ($port) => count(lab_plain($port)->keys('*_LOCK')), $ports)), "\n";
?>
--EXPECT--
1 1 1 2 2 2 3 3 3 4 4 3 1 5 4 2 6 5 3 7 6 3 1 7 4 2 8 5 3 9
[false,false,false,false,false,false,false,false,true]
session_start(): session.save_path must be the name of a server pool, or pool=NAME&config=FILE&prefix=PREFIX&d
session_start(): There is no server pool none in DIRECTORY/alpha.yml, only alpha; name one of these
session_start(): No configuration was given; set onehop.config in php.ini, or pass a file
session_start(): The node refused: WRONGTYPE Operation against a key holding the wrong kind of value
session_start(): The session is locked by another request, which did not end in time
0 0
