--TEST--
EVALSHA reloads a script that a node has lost; scripts without keys need one server or a cluster
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports);
$redis = new OneHop\Redis('alpha', $config);
$keys = array_values(lab_key_of_each($config));
$numbers = array_values(lab_key_of_each($config, "number:"));
$nodes = array_map('lab_plain', $ports);
$flush = static fn () => array_walk($nodes, fn (Redis $node) => $node->script('flush'));
$loads = static function () use ($nodes): array {
    $counts = array_map(
        fn (Redis $node) => (int) preg_replace(
            '/^calls=(\d+).*/',
            '$1',
            $node->info('commandstats')['cmdstat_script|load'] ?? '0',
        ),
        $nodes,
    );
    array_walk($nodes, fn (Redis $node) => $node->rawCommand('CONFIG', 'RESETSTAT'));
    return $counts;
};
$body = 'return redis.call("INCRBY", KEYS[1], ARGV[1])';
$sha = sha1($body);

echo "-- an unknown script: phpredis' own answer\n";
lab_show('EVALSHA', $redis->evalSha($sha, [$keys[0], 5], 1));
lab_show('last error', $redis->getLastError());
$redis->clearLastError();

echo "-- a script known from EVAL on one node is used on all; each call runs it once\n";
lab_show('EVAL', $redis->eval($body, [$keys[0], 5], 1));
foreach ($keys as $key) {
    lab_show(
        'EVALSHA, the key afterwards, last error',
        [$redis->evalSha($sha, [$key, 10], 1), $redis->get($key), $redis->getLastError()],
    );
}
lab_show('loads of each node; the last one had the script from EVAL', $loads());

echo "-- a script of SCRIPT LOAD that all nodes have lost; in any spelling, also by rawCommand()\n";
$body = 'return {KEYS[1], ARGV[1]}';
lab_show('SCRIPT LOAD gives the SHA-1', $redis->script('load', $body) === sha1($body));
$flush();
$loads();
lab_show(
    'it runs by its SHA-1 in capitals',
    $redis->evalSha(strtoupper(sha1($body)), [$keys[1], 'a'], 1) === [$keys[1], 'a'],
);
lab_show(
    'by evalsha in small letters',
    $redis->rawCommand('evalsha', sha1($body), '1', $keys[2], 'b') === [$keys[2], 'b'],
);
lab_show(
    'by EVALSHA_RO',
    $redis->rawCommand('EVALSHA_RO', sha1($body), '1', $keys[2], 'c') === [$keys[2], 'c'],
);
lab_show('loads of each node; two were called', $loads());

echo "-- a pipeline: loaded once per node, invisible to the script\n";
$flush();
$redis->pipeline()->set($keys[0], 'x');
foreach ([0, 1, 0, 2, 0, 3] as $i) {
    $redis->evalSha($sha, [$numbers[$i], 1], 1);
}
lab_show('replies', $redis->get($keys[0])->evalSha(sha1($body), [$keys[0], 'z'], 1)->exec());
lab_show('loads of each node; two scripts ran on the last one', $loads());
$flush();
lab_show('a pipeline of one call', $redis->pipeline()->evalSha($sha, [$numbers[3], 1], 1)->exec());
lab_show(
    'an unknown script and an unset key',
    $redis->pipeline()->evalSha(str_repeat('0', 40), [$keys[3]], 1)->get('nothing')->exec(),
);
$redis->clearLastError();

echo "-- a transaction reloads no script\n";
$flush();
lab_show(
    'EVALSHA fails, SET runs',
    $redis->multi()->evalSha($sha, [$keys[0], 1], 1)->set($keys[0], 1)->exec(),
);
$redis->clearLastError();

echo "-- prefix and serializer of the call\n";
$redis->setOption(Redis::OPT_PREFIX, 'p:');
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$flush();
lab_show('what the script got', $redis->evalSha(sha1($body), ['k', 'plain'], 1));
$redis->setOption(Redis::OPT_PREFIX, '');
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);

echo "-- 1,000 scripts are remembered, one more drops the oldest; none of 64 KB is remembered\n";
for ($i = 0; $i < 1000; $i++) {
    $redis->eval("return $i", [$keys[0]], 1);
}
$large = 'return 1 --' . str_repeat('x', 65536);
lab_show('EVAL of the large script', $redis->eval($large, [$keys[0]], 1));
$flush();
$run = fn (string $body, mixed ...$arguments) =>
    $redis->evalSha(sha1($body), [$keys[0], ...$arguments], 1);
lab_show(
    'the script before the 1,000, their first, their last, the large one',
    [$run($body, 1), $run('return 0'), $run('return 999'), $run($large)],
);

echo "-- without keys: several servers, one server, a Redis Cluster\n";
lab_tell(fn () => $redis->eval('return 1'));
lab_tell(fn () => $redis->evalSha($sha, ['argument'], 0));
$one = new OneHop\Redis('alpha', lab_config([$ports[0]]));
$sha = sha1('return ARGV[1]');
lab_show('one server', [
    $one->eval('return 1'), $one->eval('return ARGV[1]', ['x']), $one->evalSha($sha, ['y']),
    $one->rawCommand('EVAL', 'return 2', '0'),
]);
lab_show('in a pipeline', $one->pipeline()->eval('return 3')->set('key', 'z')->exec());
lab_show(
    'in a transaction',
    $one->multi()->eval("return redis.call('set', 'undeclared', 4)")->get('undeclared')->exec(),
);
$cluster = new LabCluster(3, 0);
$redis = new OneHop\Redis('alpha', $cluster->config([], array_slice($cluster->ports, 0, 1)));
lab_show('a cluster', [$redis->eval('return 1'), $redis->rawCommand('EVAL', 'return 2', '0')]);
lab_show('in a pipeline', $redis->pipeline()->eval('return 3')->exec());
?>
--EXPECT--
-- an unknown script: phpredis' own answer
EVALSHA: false
last error: "NOSCRIPT No matching script. Please use EVAL."
-- a script known from EVAL on one node is used on all; each call runs it once
EVAL: 5
EVALSHA, the key afterwards, last error: [15,"15",null]
EVALSHA, the key afterwards, last error: [10,"10",null]
EVALSHA, the key afterwards, last error: [10,"10",null]
EVALSHA, the key afterwards, last error: [10,"10",null]
loads of each node; the last one had the script from EVAL: [1,1,1,0]
-- a script of SCRIPT LOAD that all nodes have lost; in any spelling, also by rawCommand()
SCRIPT LOAD gives the SHA-1: true
it runs by its SHA-1 in capitals: true
by evalsha in small letters: true
by EVALSHA_RO: true
loads of each node; two were called: [0,1,1,0]
-- a pipeline: loaded once per node, invisible to the script
replies: [true,1,1,2,1,3,1,"x",["key:0","z"]]
loads of each node; two scripts ran on the last one: [1,1,1,2]
a pipeline of one call: [2]
an unknown script and an unset key: [false,false]
-- a transaction reloads no script
EVALSHA fails, SET runs: [false,true]
-- prefix and serializer of the call
what the script got: ["p:k","plain"]
-- 1,000 scripts are remembered, one more drops the oldest; none of 64 KB is remembered
EVAL of the large script: 1
the script before the 1,000, their first, their last, the large one: [false,0,999,false]
-- without keys: several servers, one server, a Redis Cluster
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::eval() is not supported: the command was not sent; a script or function without keys cannot be placed: pass the keys it uses (or one name with their hash tag), or run it on each node with onEachNode
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::evalsha() is not supported: the command was not sent; a script or function without keys cannot be placed: pass the keys it uses (or one name with their hash tag), or run it on each node with onEachNode
one server: [1,"x","y",2]
in a pipeline: [3,true]
in a transaction: [true,"4"]
a cluster: [1,2]
in a pipeline: [3]
