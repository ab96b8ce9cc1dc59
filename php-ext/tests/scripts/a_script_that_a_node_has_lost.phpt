--TEST--
EVALSHA works on a node that has lost the script: its body, once seen, is loaded again, and nothing runs twice
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports);
$redis = new OneHop\Redis('alpha', $config);
$keys = array_values(lab_key_of_each($config));
$numbers = array_values(lab_key_of_each($config, "number:"));
$nodes = array_map('lab_plain', $ports);
$flush = static fn () => array_walk($nodes, fn (Redis $node) => $node->script('flush'));
$loads = static function () use ($nodes): array {
    $counts = array_map(fn (Redis $node) => (int) preg_replace('/^calls=(\d+).*/', '$1', $node->info('commandstats')['cmdstat_script|load'] ?? '0'), $nodes);
    array_walk($nodes, fn (Redis $node) => $node->rawCommand('CONFIG', 'RESETSTAT'));
    return $counts;
};
$body = 'return redis.call("INCRBY", KEYS[1], ARGV[1])';
$sha = sha1($body);

echo "-- never seen: phpredis' own answer\n";
lab_tell(fn () => $redis->evalSha($sha, [$keys[0], 5], 1));
lab_tell(fn () => $redis->getLastError());
$redis->clearLastError();

echo "-- seen in EVAL on one node, known on all; each runs once\n";
lab_tell(fn () => $redis->eval($body, [$keys[0], 5], 1));
foreach ($keys as $key) {
    echo json_encode([$redis->evalSha($sha, [$key, 10], 1), $redis->get($key), $redis->getLastError()]), "\n";
}
echo json_encode($loads()), "\n";

echo "-- seen in SCRIPT LOAD, lost everywhere; any spelling, also as rawCommand\n";
$body = 'return {KEYS[1], ARGV[1]}';
lab_tell(fn () => $redis->script('load', $body) === sha1($body));
$flush();
$loads();
lab_tell(fn () => $redis->evalSha(strtoupper(sha1($body)), [$keys[1], 'a'], 1) === [$keys[1], 'a']);
lab_tell(fn () => $redis->rawCommand('evalsha', sha1($body), '1', $keys[2], 'b') === [$keys[2], 'b']);
lab_tell(fn () => $redis->rawCommand('EVALSHA_RO', sha1($body), '1', $keys[2], 'c') === [$keys[2], 'c']);
echo json_encode($loads()), "\n";

echo "-- a pipeline: loaded once per node, unseen by the script\n";
$flush();
$redis->pipeline()->set($keys[0], 'x');
foreach ([0, 1, 0, 2, 0, 3] as $i) {
    $redis->evalSha($sha, [$numbers[$i], 1], 1);
}
echo json_encode($redis->get($keys[0])->evalSha(sha1($body), [$keys[0], 'z'], 1)->exec()), "\n";
echo json_encode($loads()), "\n";
$flush();
echo json_encode($redis->pipeline()->evalSha($sha, [$numbers[3], 1], 1)->exec()), "\n";
echo json_encode($redis->pipeline()->evalSha(str_repeat('0', 40), [$keys[3]], 1)->get('nothing')->exec()), "\n";
$redis->clearLastError();

echo "-- a transaction is not repaired\n";
$flush();
echo json_encode($redis->multi()->evalSha($sha, [$keys[0], 1], 1)->set($keys[0], 1)->exec()), "\n";
$redis->clearLastError();

echo "-- prefix and serializer are those of the call\n";
$redis->setOption(Redis::OPT_PREFIX, 'p:');
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$flush();
lab_tell(fn () => $redis->evalSha(sha1($body), ['k', 'plain'], 1));
$redis->setOption(Redis::OPT_PREFIX, '');
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);

echo "-- 1,000 are remembered, the oldest goes first; one of 64 KB is not\n";
for ($i = 0; $i < 1000; $i++) {
    $redis->eval("return $i", [$keys[0]], 1);
}
$large = 'return 1 --' . str_repeat('x', 65536);
lab_tell(fn () => $redis->eval($large, [$keys[0]], 1));
$flush();
lab_tell(fn () => [$redis->evalSha(sha1($body), [$keys[0], 1], 1), $redis->evalSha(sha1('return 0'), [$keys[0]], 1), $redis->evalSha(sha1('return 999'), [$keys[0]], 1),
    $redis->evalSha(sha1($large), [$keys[0]], 1)]);

echo "-- without keys: nothing says where\n";
lab_tell(fn () => $redis->eval('return 1'));
lab_tell(fn () => $redis->evalSha($sha, ['argument'], 0));
?>
--EXPECT--
-- never seen: phpredis' own answer
bool(false)
string(45) "NOSCRIPT No matching script. Please use EVAL."
-- seen in EVAL on one node, known on all; each runs once
int(5)
[15,"15",null]
[10,"10",null]
[10,"10",null]
[10,"10",null]
[1,1,1,0]
-- seen in SCRIPT LOAD, lost everywhere; any spelling, also as rawCommand
bool(true)
bool(true)
bool(true)
bool(true)
[0,1,1,0]
-- a pipeline: loaded once per node, unseen by the script
[true,1,1,2,1,3,1,"x",["key:0","z"]]
[1,1,1,2]
[2]
[false,false]
-- a transaction is not repaired
[false,true]
-- prefix and serializer are those of the call
array(2) {
  [0]=>
  string(3) "p:k"
  [1]=>
  string(5) "plain"
}
-- 1,000 are remembered, the oldest goes first; one of 64 KB is not
int(1)
array(4) {
  [0]=>
  bool(false)
  [1]=>
  int(0)
  [2]=>
  int(999)
  [3]=>
  bool(false)
}
-- without keys: nothing says where
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::eval() is not supported: the command was not sent; a script or function without keys cannot be placed: pass the keys it uses (or one name with their hash tag), or run it on each node by onEachNode
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::evalsha() is not supported: the command was not sent; a script or function without keys cannot be placed: pass the keys it uses (or one name with their hash tag), or run it on each node by onEachNode
