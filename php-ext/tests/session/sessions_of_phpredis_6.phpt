--TEST--
With phpredis 6, sessions also honour its settings early_refresh and compression
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/processes.inc';

$config = lab_config(
    $ports = [lab_redis(), lab_redis()],
    ['hash' => 'md5', 'distribution' => 'modula', 'auto_eject_hosts' => 'false'],
);
$nutcracker = lab_nutcracker($config);
$redis = new OneHop\Redis('alpha', $config);
$fpm = lab_fpm(['html_errors' => '0']);
$settings = [
    'session.save_handler' => 'onehop', 'session.save_path' => "pool=alpha&config=$config",
    'session.gc_maxlifetime' => 1000, 'session.use_cookies' => 0, 'session.cache_limiter' => '',
];
$by_phpredis = [
    'session.save_handler' => 'redis',
    'session.save_path' => "tcp://127.0.0.1:$nutcracker",
];
$page = fn (string $id, string $script, array $others = [])
    => $fpm('<?php
        foreach ($_GET["ini"] as $name => $value) {
            ini_set($name, $value);
        }
        session_id($_GET["id"]); ' . $script, [
        'id' => $id,
        'ini' => $others + $settings,
    ]);
$is_6 = version_compare(phpversion('redis'), '6', '>=');
$kinds = array_filter(
    ['lzf', 'zstd', 'lz4'],
    fn ($kind) => defined('Redis::COMPRESSION_' . strtoupper($kind)),
);

echo "early_refresh: reading renews the lifetime, the end of the request does not:\n";
$page('a', 'session_start(); $_SESSION["x"] = 1;');
$redis->expire('PHPREDIS_SESSION:a', 50);
$page('a', 'session_start(); session_abort();', ['redis.session.early_refresh' => 1]);
var_dump(($redis->ttl('PHPREDIS_SESSION:a') > 900) === $is_6);
echo $page('a', 'session_start(); echo $_SESSION["x"], "\n";', [
    'redis.session.early_refresh' => 1,
]);

echo "compression, read and written by both handlers; the lock is not compressed:\n";
$script = '
    session_start();
    echo strlen($_SESSION["text"] ?? ""), " ";
    $_SESSION["text"] = ($_SESSION["text"] ?? "") . str_repeat("compress me ", 1000);';
foreach ($is_6 ? $kinds : ['none'] as $kind) {
    $compressed = [
        'redis.session.compression' => $kind,
        'redis.session.locking_enabled' => 1,
        'redis.session.lock_expire' => 30,
    ];
    $all = $page($kind, $script, $compressed) . $page($kind, $script, $by_phpredis + $compressed)
        . $page($kind, $script, $compressed);
    $size = strlen((string) $redis->rawCommand('GET', "PHPREDIS_SESSION:$kind"));
    if (
        $all !== '0 12000 24000 '
        || ($kind === 'none') !== ($size > 36000)
        || $redis->exists("PHPREDIS_SESSION:{$kind}_LOCK")
    ) {
        echo "$kind: $all, $size bytes\n";
    }
}
echo "an unknown kind is a notice, and nothing is compressed:\n";
$answer = $page('b', 'session_start(); $_SESSION["x"] = 1;', [
    'redis.session.compression' => 'zip',
]);
var_dump(
    str_contains($answer, 'phpredis has no redis.session.compression "zip"') === $is_6,
    $redis->get('PHPREDIS_SESSION:b'),
);
?>
--EXPECT--
early_refresh: reading renews the lifetime, the end of the request does not:
bool(true)
1
compression, read and written by both handlers; the lock is not compressed:
an unknown kind is a notice, and nothing is compressed:
bool(true)
string(6) "x|i:1;"
