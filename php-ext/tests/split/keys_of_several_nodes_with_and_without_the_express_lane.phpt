--TEST--
A command with keys on several nodes returns the same with and without the express lane
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$script = <<<'PHP'
<?php
[, $config, $what] = $argv;
$redis = new OneHop\Redis('alpha', $config);

function show(string $what, callable $call): void
{
    global $redis;
    $redis->clearLastError();
    try {
        $result = $call($redis);
    } catch (OneHop\PartialBatch $failure) {
        $result = array_map(
            fn ($reply) => $reply instanceof Exception ? get_class($reply) : $reply,
            $failure->getReplies(),
        );
    } catch (RedisException $failure) {
        $result = get_class($failure);
    }
    $text = json_encode($result);
    $error = $redis->getLastError();
    $text = strlen($text) > 150 ? md5($text) : $text;
    echo rtrim("$what: $text $error"), "\n";
}

$keys = array_map(fn ($i) => "open:$i", range(0, 999));
if ($what === 'errors') {
    show('no permission for one', fn ($redis) => $redis->mget(['open:5', 'secret', 'open:6']));
    show('for all', fn ($redis) => $redis->mget(['secret', 'a', 'b', 'c', 'd', 'e']));
    show('EXISTS', fn ($redis) => $redis->exists('open:5', 'secret', 'open:6'));
    show('afterwards', fn ($redis) => $redis->mget(['open:5', 'open:6', 'open:7']));
    exit;
}
if ($what === 'a dead node') {
    show('MGET', fn ($redis) => $redis->mget($keys));
    show('EXISTS', fn ($redis) => $redis->exists(array_slice($keys, 0, 50)));
    show('a part of the keys', fn ($redis) => $redis->mget(array_slice($keys, 0, 3)));
    exit;
}
$redis->mset(array_combine($keys, range(0, 999)));
$redis->hSet('open:hash', 'field', 'value');
$redis->mset(['7' => 'seven', 'open:empty' => '', 'open:one' => 'x']);
show('values', fn ($redis) => $redis->mget(
    ['open:1', 'none', 'open:hash', 'open:2', '7', 7, 'open:empty', 'open:1', 'open:one', ''],
));
show('a thousand', fn ($redis) => $redis->mget($keys));
show('in a hash', fn ($redis) => $redis->mget(['b' => 'open:5', 'a' => 'open:6', 'c' => 'none']));
show('references', function ($redis) {
    $key = 'open:8';
    $keys = ['open:7', &$key, 'open:9'];
    return $redis->mget($keys);
});
show('one slot', fn ($redis) => $redis->mget(['{open:1}', 'open:1', '{open:1}x']));
show('odd keys', fn ($redis) => $redis->mget(['open:1', 1.5, null, true]));
show('EXISTS of each', fn ($redis) => $redis->exists('open:1', 'none', 'open:2', 'open:1'));
show('a list and a key', fn ($redis) => @$redis->exists(array_slice($keys, 0, 9), 'open:1'));
show('EXISTS of a list', fn ($redis) => $redis->exists($keys));
show('DEL of each', fn ($redis) => $redis->del('open:1', 'none', 'open:2'));
show('UNLINK of a list', fn ($redis) => $redis->unlink(['open:3', 'open:4', 'open:3']));
$redis->setOption(Redis::OPT_PREFIX, 'open:');
show('a prefix', fn ($redis) => $redis->mget(range('1', '9')));
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
show('a serializer', fn ($redis) => [
    $redis->set('list', [1]), $redis->mget(['list', 'none', '10']),
]);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
for ($i = 0; $i < 12; $i++) {
    $redis->set("large:$i", str_repeat("large $i ", 40000));
}
show('values beyond the memory', fn ($redis) => $redis->mget(
    array_merge(...array_map(fn ($i) => ["large:$i", (string) ($i * 9), 'none'], range(0, 11))),
));
show('bytes', fn ($redis) => strlen(implode($redis->mget(['large:1', 'large:2', 'large:3']))));
PHP;

function compare(string $what, string $config): void
{
    global $script;
    $told = [];
    foreach ([0, 1] as $lane) {
        $told[] = lab_run($script, [$config, $what], [], ['onehop.express_lane' => $lane]);
    }
    echo $what, ': ', substr_count($told[1], "\n"), ' lines, ';
    echo $told[0] === $told[1] ? "the same\n" : "not the same\n$told[0]\n$told[1]\n";
    if ($what !== 'values') {
        /* The error's text is removed: it is the server's, and phpredis 5.3.7 loses some errors. */
        echo preg_replace(['/[0-9a-f]{32}/', '/ NOPERM .*/'], ['(many)', ''], $told[1]);
    }
}

echo "-- a Redis Cluster\n";
$cluster = new LabCluster(3, 0, '--cluster-require-full-coverage', 'no');
$config = $cluster->config();
compare('values', $config);
foreach ($cluster->ports as $port) {
    $cluster->call($port, 'ACL', 'SETUSER', 'default', 'resetkeys', '~open:*');
}
compare('errors', $config);
$cluster->kill($cluster->ports[1]);
compare('a dead node', $config);

echo "-- a server pool\n";
$processes = array_map(fn () => lab_redis_process(), range(1, 3));
$ports = array_column($processes, 0);
$config = lab_config($ports);
compare('values', $config);
foreach ($ports as $port) {
    lab_plain($port)->rawCommand('ACL', 'SETUSER', 'default', 'resetkeys', '~open:*');
}
compare('errors', $config);
Lab::stop($processes[1][1]);
compare('a dead node', $config);
?>
--EXPECT--
-- a Redis Cluster
values: 15 lines, the same
errors: 4 lines, the same
no permission for one: false
for all: false
EXISTS: [1,"OneHop\\Exception",1]
afterwards: ["5","6","7"]
a dead node: 3 lines, the same
MGET: (many)
EXISTS: (many)
a part of the keys: ["0",false,"OneHop\\NodeDown"]
-- a server pool
values: 15 lines, the same
errors: 4 lines, the same
no permission for one: false
for all: false
EXISTS: [2,"OneHop\\Exception"]
afterwards: ["5","6","7"]
a dead node: 3 lines, the same
MGET: (many)
EXISTS: ["OneHop\\NodeDown",40]
a part of the keys: "OneHop\\NodeDown"
