--TEST--
session.save_handler = onehop keeps sessions under the same keys as phpredis through nutcracker
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/processes.inc';

$ports = [lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports, [
    'hash_tag' => '"{}"', 'hash' => 'murmur', 'distribution' => 'ketama',
    'auto_eject_hosts' => 'false',
]);
$nutcracker = lab_nutcracker($config);
$redis = new OneHop\Redis('alpha', $config);
$fpm = lab_fpm(['html_errors' => '0']);
$settings = [
    'session.save_handler' => 'onehop',
    'session.save_path' => "pool=alpha&config=$config",
    'session.gc_maxlifetime' => 1000,
];
$begin = '<?php
    foreach ($_GET["ini"] as $name => $value) {
        ini_set($name, $value);
    }
    session_id($_GET["id"]); ';
$page = fn (string $id, string $script, array $others = [])
    => $fpm($begin . $script, ['id' => $id, 'ini' => $others + $settings]);

echo "Data survives the request, on the node of its key:\n";
$ids = array_map(fn ($i) => "id$i", range(0, 5));
foreach ($ids as $id) {
    echo $page(
        $id,
        '
            echo session_start() ? "started\n" : "failed\n";
            $_SESSION["name"] = "of " . session_id();',
    );
}
foreach ($ids as $id) {
    echo $page($id, 'session_start(); echo $_SESSION["name"], "\n";');
}
echo $redis->get('PHPREDIS_SESSION:id3'), ' ', $redis->ttl('PHPREDIS_SESSION:id3') > 990
    ? 'lives as long as gc_maxlifetime'
    : 'dies too early', "\n";
echo 'nodes with sessions: ',
    count(array_filter($ports, fn ($port) => lab_plain($port)->dbSize() > 0)), "\n";

echo "phpredis' handler through nutcracker and OneHop read each other's sessions:\n";
$proxy = ['session.save_handler' => 'redis', 'session.save_path' => "tcp://127.0.0.1:$nutcracker"];
echo $page(
    'id4',
    '
        session_start();
        echo $_SESSION["name"], "\n";
        $_SESSION["name"] .= ", seen by phpredis";
        $_SESSION["more"] = 1;',
    $proxy,
);
echo $page('id4', 'session_start(); echo $_SESSION["name"], " ", $_SESSION["more"], "\n";');

echo "An unchanged session is not written, but its lifetime is renewed:\n";
$redis->expire('PHPREDIS_SESSION:id5', 50);
$page('id5', 'session_start();');
lab_show('it lives as long as gc_maxlifetime again', $redis->ttl('PHPREDIS_SESSION:id5') > 990);

echo "Destroyed, regenerated, strict:\n";
echo $page('id0', 'session_start(); session_destroy(); echo "destroyed\n";');
lab_show('keys of the destroyed session', $redis->exists('PHPREDIS_SESSION:id0'));
$new = $page('id1', 'session_start(); session_regenerate_id(true); echo session_id();');
lab_show('keys of the regenerated session', $redis->exists('PHPREDIS_SESSION:id1'));
lab_show('data under its new id', $redis->get("PHPREDIS_SESSION:$new"));
echo $page('unknown', '
    session_start();
    echo in_array(session_id(), ["unknown", ""]) ? "as told" : "another id", "\n";', [
    'session.use_strict_mode' => '1',
]);
echo $page('id2', 'session_start(); echo session_id(), "\n";', ['session.use_strict_mode' => '1']);

echo "Another prefix; large and binary values:\n";
$path = 'pool=alpha&config=' . rawurlencode($config) . '&prefix=' . rawurlencode('a&b:');
echo $page(
    'big',
    'session_start(); $_SESSION["big"] = str_repeat("\0\xff\r\n", 300000); echo "written\n";',
    ['session.save_path' => $path],
);
lab_show('the node stores all of it', $redis->strlen('a&b:big') > 1200000);
echo $page('big', '
    session_start();
    echo $_SESSION["big"] === str_repeat("\0\xff\r\n", 300000) ? "read\n" : "spoilt\n";', [
    'session.save_path' => $path,
]);

echo "Another database of the same server pool, locked, too:\n";
$there = ['session.save_path' => "pool=alpha&config=$config&database=1"];
$write = 'session_start(); echo $_SESSION["name"] ??= "of database 1", "\n";';
$locked = ['redis.session.locking_enabled' => '1'];
echo $page('id3', $write, $there), $page('id3', $write, $locked + $there), $page('id3', $write);
$redis->select(1);
lab_show('what is there', [$redis->get('PHPREDIS_SESSION:id3'), $redis->dbSize()]);
$redis->select(0);

echo "onehop.config and a pool's name; after a fatal error, exit or exception data is written:\n";
$bare = ['session.save_path' => 'alpha', 'onehop.config' => $config];
foreach (['undefined_function();', 'exit;', 'throw new Exception("x");'] as $i => $end) {
    $page("end$i", "session_start(); \$_SESSION['end'] = $i; $end", $bare);
    echo $redis->get("PHPREDIS_SESSION:end$i"), "\n";
}
$plain = lab_plain(port_of('PHPREDIS_SESSION:id3', $config, $ports));
$before = lab_accepted($plain);
for ($i = 0; $i < 5; $i++) {
    $page('id3', 'session_start(); $_SESSION["count"] = ($_SESSION["count"] ?? 0) + 1;');
}
echo 'new connections for 5 requests: ', lab_accepted($plain) - $before, "\n";

echo "Mistakes are warnings, never exceptions:\n";
$start = '$is_started = session_start(); echo "started: ", json_encode($is_started), "\n";';
$show = fn (string $answer)
    => preg_replace('/ in \S+ on line \d+|\n(?=\n)/', '', ltrim(lab_hide($answer)));
foreach ([
    'nopool', "pool=nopool&config=$config", "pool=alpha&pool=alpha", 'colour=blue',
    "config=$config", '/var/lib/php', '',
] as $path) {
    echo $show($page('x', $start, ['session.save_path' => $path]));
}
$dead = lab_config(['127.0.0.1:1:1 dead'], [], 'dead.yml');
echo $show(
    $page('x', $start, ['session.save_path' => "pool=alpha&config=$dead"]),
);
$redis->lPush('PHPREDIS_SESSION:list', 'no session');
echo $show($page('list', $start));

echo "A node that dies before the end of the request:\n";
[$port, $id] = lab_redis_process();
$dying = lab_config([$port], [], 'dying.yml');
$answer = $show(
    $page('x', sprintf('
        session_start();
        $_SESSION["x"] = 1;
        posix_kill(%d, 9);
        while (@stream_socket_client("tcp://127.0.0.1:%d")) {
            usleep(1000);
        }', $id, $port), [
        'session.save_path' => "pool=alpha&config=$dying",
    ]),
);
/* Closed, reset or refused: that depends on when the process ends. */
echo preg_replace(
    '/Shutdown: Connection .*?, node node-0 .*/',
    'Shutdown: Connection ..., node node-0 ...',
    $answer,
);
echo $page('id3', 'session_start(); echo $_SESSION["name"], "\n";');
?>
--EXPECT--
Data survives the request, on the node of its key:
started
started
started
started
started
started
of id0
of id1
of id2
of id3
of id4
of id5
name|s:6:"of id3"; lives as long as gc_maxlifetime
nodes with sessions: 3
phpredis' handler through nutcracker and OneHop read each other's sessions:
of id4
of id4, seen by phpredis 1
An unchanged session is not written, but its lifetime is renewed:
it lives as long as gc_maxlifetime again: true
Destroyed, regenerated, strict:
destroyed
keys of the destroyed session: 0
keys of the regenerated session: 0
data under its new id: "name|s:6:\"of id1\";"
another id
id2
Another prefix; large and binary values:
written
the node stores all of it: true
read
Another database of the same server pool, locked, too:
of database 1
of database 1
of id3
what is there: ["name|s:13:\"of database 1\";",1]
onehop.config and a pool's name; after a fatal error, exit or exception data is written:
end|i:0;
end|i:1;
end|i:2;
new connections for 5 requests: 0
Mistakes are warnings, never exceptions:
Warning: session_start(): No configuration was given; set onehop.config in php.ini, or pass a file
Warning: session_start(): Failed to initialize storage module: onehop (path: nopool)
started: false
Warning: session_start(): There is no server pool nopool in DIRECTORY/alpha.yml, only alpha; name one of these
Warning: session_start(): Failed to initialize storage module: onehop (path: pool=nopool&config=DIRECTORY/alpha.yml)
started: false
Warning: session_start(): session.save_path must be the name of a server pool, or pool=NAME&config=FILE&prefix=PREFIX&database=NUMBER
Warning: session_start(): Failed to initialize storage module: onehop (path: pool=alpha&pool=alpha)
started: false
Warning: session_start(): session.save_path must be the name of a server pool, or pool=NAME&config=FILE&prefix=PREFIX&database=NUMBER
Warning: session_start(): Failed to initialize storage module: onehop (path: colour=blue)
started: false
Warning: session_start(): session.save_path names no server pool
Warning: session_start(): Failed to initialize storage module: onehop (path: config=DIRECTORY/alpha.yml)
started: false
Warning: session_start(): session.save_path is a path: set it to the name of a server pool
Warning: session_start(): Failed to initialize storage module: onehop (path: /var/lib/php)
started: false
Warning: session_start(): No configuration was given; set onehop.config in php.ini, or pass a file
Warning: session_start(): Failed to initialize storage module: onehop (path: )
started: false
Warning: session_start(): Connection refused while connecting, node dead (127.0.0.1:PORT), server pool alpha: the command was not sent; check that the node is running and reachable
Warning: session_start(): Failed to read session data: onehop (path: pool=alpha&config=DIRECTORY/dead.yml)
started: false
Warning: session_start(): The node refused: WRONGTYPE Operation against a key holding the wrong kind of value
Warning: session_start(): Failed to read session data: onehop (path: pool=alpha&config=DIRECTORY/alpha.yml)
started: false
A node that dies before the end of the request:
Warning: PHP Request Shutdown: Connection ..., node node-0 ...
Warning: PHP Request Shutdown: Failed to write session data (onehop). Please verify that the current setting of session.save_path is correct (pool=alpha&config=DIRECTORY/dying.yml)
of id3
