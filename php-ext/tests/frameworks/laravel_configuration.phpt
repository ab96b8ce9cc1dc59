--TEST--
The connector takes Laravel's default config/database.php as Laravel's own connector does
--FILE--
<?php
require __DIR__ . '/laravel.inc';

use Illuminate\Cache\RedisStore;
use Illuminate\Cache\Repository;
use Illuminate\Container\Container;
use Illuminate\Redis\Connections\PhpRedisConnection;
use Illuminate\Redis\RedisManager;
use OneHop\Laravel\Connector;

$server = lab_redis();
$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports, ['hash_tag' => '"{}"']);
$cache = lab_config($ports, ['hash_tag' => '"{}"', 'database' => 1]);
file_put_contents(
    $config,
    str_replace('alpha:', 'alpha_cache:', file_get_contents($cache)),
    FILE_APPEND,
);

/* One server pool for both databases. */
$single = lab_config($others = [lab_redis(), lab_redis()], [], 'single.yml');

/** Section `redis` of config/database.php in a new Laravel application. */
function database(int $port, array $options = []): array
{
    $connection = [
        'url' => null, 'host' => '127.0.0.1', 'username' => null, 'password' => null,
        'port' => (string) $port,
    ];
    return [
        'client' => 'phpredis',
        'options' => $options + ['cluster' => 'redis', 'prefix' => 'laravel_database_'],
        'default' => $connection + ['database' => '0'],
        'cache' => $connection + ['database' => '1'],
    ];
}

function manager(array $config): RedisManager
{
    $manager = new RedisManager(new Container(), $config['client'], $config);
    $manager->extend('onehop', fn () => new Connector());
    return $manager;
}

function work(RedisManager $redis): array
{
    $default = $redis->connection();
    foreach (range(1, 60) as $i) {
        $default->set("key:$i", "value $i");
    }
    $cache = new Repository(new RedisStore($redis, 'laravel_cache', 'cache'));
    foreach (range(1, 60) as $i) {
        $cache->put("item:$i", ['n' => $i], 600);
    }
    $default->hMSet('hash', ['a' => 1, 'b' => 2]);
    $default->rPush('list', str_repeat('long ', 100));
    return [
        $default->get('key:7'), $default->mget(['key:1', 'key:2', 'none']), $cache->get('item:9'),
        $cache->get('key:1'), $default->hGetAll('hash'), $default->lRange('list', 0, -1),
        $cache->many(['item:1', 'item:2']),
        $redis->connection('cache') instanceof PhpRedisConnection,
    ];
}

/** What servers hold: database => key => its bytes. */
function held(array $ports): array
{
    $held = [];
    foreach ($ports as $port) {
        $plain = lab_plain($port);
        foreach ([0, 1] as $database) {
            $plain->select($database);
            foreach ($plain->keys('*') as $key) {
                $held[$database][$key] = $plain->type($key) === Redis::REDIS_STRING
                    ? $plain->get($key)
                    : 'no text';
            }
        }
    }
    $held = array_map(function (array $keys): array {
        ksort($keys);
        return $keys;
    }, $held);
    ksort($held);
    return $held;
}
$ours = ['client' => 'onehop'];
foreach ([
    'default' => [],
    'serializer and compression' => [
        'serializer' => Redis::SERIALIZER_PHP,
        'compression' => defined('Redis::COMPRESSION_LZF')
            ? Redis::COMPRESSION_LZF
            : Redis::COMPRESSION_NONE,
        'scan' => Redis::SCAN_RETRY,
        'prefix' => 'other_',
    ],
] as $name => $options) {
    $expected = work(manager(database($server, $options)));
    $there = held([$server]);
    foreach ([
        [$ports, ['pool' => [0 => 'alpha', 1 => 'alpha_cache'], 'config' => $config]],
        [$others, ['pool' => 'alpha', 'config' => $single]],
    ] as [$nodes, $pool]) {
        $told = work(manager($ours + database(1, $options + $pool)));
        $same = [$told === $expected, held($nodes) === $there];
        echo "$name: ", json_encode([...$same, array_map(count(...), $there)]), "\n";
    }
}
$keys = array_keys(held($ports)[0]);
$known = array_intersect(['laravel_database_key:1', 'other_key:1', 'key:1'], $keys);
lab_show('keys', array_values($known));
$used = array_filter($ports, fn ($port) => lab_plain($port)->dbSize() > 0);
lab_show('on several nodes', count($used) > 1);

echo "a single pool, and what it cannot do\n";
$one = $ours + database(1, ['pool' => 'alpha', 'config' => $config]);
lab_show('get', manager($one)->connection()->get('key:7'));
$one['cache']['database'] = '99';
lab_tell(fn () => manager($one)->connection('cache'));
$one['cache']['database'] = '0';
lab_show('get of the cache', manager($one)->connection('cache')->get('key:7'));
$one['cache'] = ['pool' => 'alpha_cache', 'database' => '1'];
$store = new RedisStore(manager($one), 'laravel_cache', 'cache');
lab_show('get of a pool of the cache', (new Repository($store))->get('item:1'));
lab_tell(fn () => manager($ours + database(1))->connection());
$clustered = ['client' => 'onehop', 'options' => $one['options'], 'clusters' => [
    'default' => [['host' => '127.0.0.1', 'port' => 1]],
]];
lab_show('get of a cluster', manager($clustered)->connection()->get('key:7'));
?>
--EXPECT--
default: [true,true,[62,60]]
default: [true,true,[62,60]]
serializer and compression: [true,true,[124,120]]
serializer and compression: [true,true,[124,120]]
keys: ["laravel_database_key:1","other_key:1"]
on several nodes: true
a single pool, and what it cannot do
get: "value 7"
InvalidArgumentException: A Redis connection asks for database 99, and a node of its server pool alpha refuses it: ERR DB index is out of range
get of the cache: "value 7"
get of a pool of the cache: {"n":1}
InvalidArgumentException: No server pool is named for a Redis connection with database 0: set REDIS_POOL in .env, or 'pool' in the connection or in the options of config/database.php.
get of a cluster: "value 7"
