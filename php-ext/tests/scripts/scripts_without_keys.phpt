--TEST--
Scripts without keys run on a pool of one server and on any node of a Redis Cluster
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$one = new OneHop\Redis('alpha', lab_config([lab_redis()]));
$cluster = new LabCluster(3, 0);
$redis = new OneHop\Redis('alpha', $cluster->config([], array_slice($cluster->ports, 0, 1)));
$sha = sha1('return ARGV[1]');

echo "-- one server\n";
var_dump(
    $one->eval('return 1'),
    $one->eval('return ARGV[1]', ['x']),
    $one->evalSha($sha, ['y']),
    $one->rawCommand('EVAL', 'return 2', '0'),
);
echo json_encode($one->pipeline()->eval('return 3')->set('key', 'z')->exec()), "\n";
echo json_encode(
    $one->multi()->eval("return redis.call('set', 'undeclared', 4)")->get('undeclared')->exec(),
), "\n";

echo "-- a Redis Cluster\n";
var_dump($redis->eval('return 1'), $redis->rawCommand('EVAL', 'return 2', '0'));
echo json_encode($redis->pipeline()->eval('return 3')->exec()), "\n";

echo "-- several servers\n";
$several = new OneHop\Redis('alpha', lab_config([lab_redis(), lab_redis()]));
lab_tell(fn () => $several->eval('return 1'));
?>
--EXPECT--
-- one server
int(1)
string(1) "x"
string(1) "y"
int(2)
[3,true]
[true,"4"]
-- a Redis Cluster
int(1)
int(2)
[3]
-- several servers
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::eval() is not supported: the command was not sent; a script or function without keys cannot be placed: pass the keys it uses (or one name with their hash tag), or run it on each node by onEachNode
