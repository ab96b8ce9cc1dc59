--TEST--
With redis.session.locking_enabled, one request at a time has a session, in OneHop and phpredis
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/processes.inc';

$ports = [lab_redis(), lab_redis(), lab_redis()];
$config = lab_config(
    $ports,
    ['hash' => 'fnv1a_64', 'distribution' => 'ketama', 'auto_eject_hosts' => 'false'],
);
$nutcracker = lab_nutcracker($config);
$redis = new OneHop\Redis('alpha', $config);
$settings = [
    'session.save_handler' => 'onehop', 'session.save_path' => "pool=alpha&config=$config",
    'redis.session.locking_enabled' => 1, 'redis.session.lock_retries' => -1,
    'redis.session.lock_wait_time' => 1000, 'session.use_cookies' => 0,
    'session.cache_limiter' => '',
];
$by_phpredis = [
    'session.save_handler' => 'redis',
    'session.save_path' => "tcp://127.0.0.1:$nutcracker",
] + $settings;
$ini = fn (array $settings) => 'foreach (' . var_export($settings, true)
    . ' as $name => $value) { ini_set($name, $value); } ';
$fpm = lab_fpm(['html_errors' => '0']);
$page = fn (string $script, array $others = []) => preg_replace(
    '/ in \S+ on line \d+|\n(?=\n)/',
    '',
    ltrim(lab_hide($fpm('<?php ' . $ini($others + $settings) . $script))),
);

echo "Six processes of both handlers count together:\n";
$count = '
    for ($i = 0; $i < 20; $i++) {
        session_id("counter");
        session_start();
        $n = $_SESSION["n"] ?? 0;
        usleep(500);
        $_SESSION["n"] = $n + 1;
        session_write_close();
    }';
$processes = [];
foreach (range(0, 5) as $k) {
    $handler = $k % 2 ? $by_phpredis : $settings;
    file_put_contents(Lab::file("counter$k.php"), '<?php ' . $ini($handler) . $count);
    $processes[] = Lab::start(
        [PHP_BINARY, ...lab_php_arguments(), Lab::file("counter$k.php")],
        Lab::file("counter$k.log"),
    );
}
foreach ($processes as $k => $id) {
    while (Lab::isRunning($id)) {
        usleep(2000);
    }
    echo file_get_contents(Lab::file("counter$k.log"));
}
echo $redis->get('PHPREDIS_SESSION:counter'), "\n";
lab_show('locks left', $redis->exists('PHPREDIS_SESSION:counter_LOCK'));

echo "The lock while it is held, and afterwards:\n";
/* Time passes, so the time that the lock has left is rounded up to five seconds. */
$look = '
    $redis = new OneHop\Redis("alpha", ' . var_export($config, true) . ');
    $lock = "PHPREDIS_SESSION:" . session_id() . "_LOCK";
    $ttl = $redis->ttl($lock);
    echo $redis->get($lock) === false ? "none" : "held", " ",
        $ttl > 0 ? ceil($ttl / 5) * 5 : $ttl, "\n";';
echo $page('session_id("a"); session_start(); ' . $look);
echo $page('session_id("a"); session_start(); ' . $look, ['redis.session.lock_expire' => 40]);
echo $page('session_id("a"); session_start(); session_write_close(); ' . $look);
echo $page('session_start(); ' . $look, ['redis.session.lock_expire' => 40]);
$page('session_id("a"); session_start(); undefined_function();');
lab_show('locks left after a fatal error', $redis->exists('PHPREDIS_SESSION:a_LOCK'));

echo "Another client holds the lock for too long:\n";
$redis->set('PHPREDIS_SESSION:b_LOCK', 'another client');
echo $page(
    'session_id("b"); echo session_start() ? "started\n" : "failed\n";',
    ['redis.session.lock_retries' => 2],
);
echo $redis->get('PHPREDIS_SESSION:b_LOCK'), " still holds it\n";

echo "OneHop asks for the lock as often as phpredis does:\n";
$asked = function (string $handler, int $retries) use ($ini, $config): int {
    $port = lab_redis();
    $plain = lab_plain($port);
    $one = lab_config(["127.0.0.1:$port:1 one"], ['auto_eject_hosts' => 'false']);
    $plain->set('PHPREDIS_SESSION:x_LOCK', 'another client');
    $plain->rawCommand('CONFIG', 'RESETSTAT');
    $path = $handler === 'redis' ? "tcp://127.0.0.1:$port" : "pool=alpha&config=$one";
    lab_run('<?php ' . $ini([
        'session.save_handler' => $handler, 'session.save_path' => $path,
        'redis.session.locking_enabled' => 1, 'redis.session.lock_retries' => $retries,
        'redis.session.lock_wait_time' => 100, 'session.use_cookies' => 0,
        'session.cache_limiter' => '',
    ]) . 'session_id("x"); @session_start();');
    preg_match('/calls=(\d+)/', $plain->info('commandstats')['cmdstat_set'] ?? '', $calls);
    return (int) ($calls[1] ?? 0);
};
foreach ([0, 3, -2] as $retries) {
    lab_show(
        "with $retries retries both ask the same number of times",
        $asked('onehop', $retries) === $asked('redis', $retries),
    );
}
lab_show('with 3 retries phpredis asks', $asked('redis', 3));

echo "Another client releases the lock:\n";
$script = '
    $redis = new Redis();
    $redis->connect("127.0.0.1", %d);
    $redis->del("PHPREDIS_SESSION:b_LOCK");';
speaker(sprintf($script, port_of('PHPREDIS_SESSION:b_LOCK', $config, $ports)));
echo $page('session_id("b"); echo session_start() ? "started\n" : "failed\n";');

echo "The lock is lost meanwhile: nothing is written, and the other's lock stays:\n";
echo $page(
    'session_id("c"); session_start(); $_SESSION["x"] = 1; ' . $look . '
        $redis->set($lock, "another client");
        echo session_write_close() ? "closed\n" : "failed\n";',
    ['redis.session.lock_expire' => 40],
);
lab_show('sessions written', $redis->exists('PHPREDIS_SESSION:c'));
lab_show('the lock is held by', $redis->get('PHPREDIS_SESSION:c_LOCK'));

echo "regenerate and destroy leave no lock:\n";
$page(
    '
        session_id("d");
        session_start();
        $_SESSION["x"] = 1;
        session_regenerate_id();
        session_destroy();',
);
$locks = 0;
foreach ($ports as $port) {
    $locks += count(lab_plain($port)->keys('*_LOCK'));
}
echo $locks, " (of another client)\n";
?>
--EXPECT--
Six processes of both handlers count together:
n|i:120;
locks left: 0
The lock while it is held, and afterwards:
held 30
held 40
none -2
held 40
locks left after a fatal error: 0
Another client holds the lock for too long:
Warning: session_start(): The session is locked by another request, which did not end in time
Warning: session_start(): Failed to read session data: onehop (path: pool=alpha&config=DIRECTORY/alpha.yml)
failed
another client still holds it
OneHop asks for the lock as often as phpredis does:
with 0 retries both ask the same number of times: true
with 3 retries both ask the same number of times: true
with -2 retries both ask the same number of times: true
with 3 retries phpredis asks: 4
Another client releases the lock:
started
The lock is lost meanwhile: nothing is written, and the other's lock stays:
held 40
Warning: session_write_close(): The lock of the session has expired, so it is not written; raise redis.session.lock_expire
Warning: session_write_close(): Failed to write session data (onehop). Please verify that the current setting of session.save_path is correct (pool=alpha&config=DIRECTORY/alpha.yml)
closed
sessions written: 0
the lock is held by: "another client"
regenerate and destroy leave no lock:
1 (of another client)
