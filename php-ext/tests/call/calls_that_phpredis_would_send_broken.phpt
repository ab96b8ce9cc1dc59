--TEST--
Calls that phpredis sends broken are refused with the reason; a scan that failed leaves nothing behind
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
error_reporting(E_ALL & ~E_DEPRECATED);

$port = lab_redis();
$redis = new OneHop\Redis('alpha', lab_config([$port], ['hash_tag' => '"{}"']));
$plain = lab_plain($port);
$redis->rPush('list', 3, 1, 2);
$refused = static function (string $method, mixed ...$arguments) use ($redis) {
    foreach ([$redis, $redis->pipeline()] as $object) {
        try {
            var_dump($object->$method(...$arguments) === $object ? 'queued' : 'served');
        } catch (OneHop\Unsupported $e) {
            $told[] = $e->getMessage();
        }
    }
    $redis->discard();
    echo count(array_unique($told ?? [])) === 1 ? "$told[0]\n" : "not refused\n";
};
$refused('sortAsc', 'list', 'w_*', ['#', 'o_*']);
$refused('sortDescAlpha', 'list', 'w_*', '');
$refused('sortAsc', 'list', 'w_*', null, 0, 10, '');
$refused('xInfo', 'HELP');
$refused('xInfo', 'help');
$redis->setOption(Redis::OPT_PREFIX, 'p:');
$redis->geoadd('g', 13.361389, 38.115556, 'Palermo');
$options = ['count' => 1, 'Store' => 'near'];
/* phpredis 5.3.7 would not survive these two. */
foreach ([['geoRadius', 'g', 13, 38, 200, 'km', $options], ['geoRadiusByMember', 'g', 'Palermo', 200, 'km', $options]] as $call) {
    try {
        $isSound = $redis->{$call[0]}(...array_slice($call, 1)) === 1 && $plain->exists('p:near') === 1 && phpversion('redis') !== '5.3.7';
    } catch (OneHop\Unsupported $e) {
        $isSound = str_contains($e->getMessage(), 'kills the process') && phpversion('redis') === '5.3.7';
    }
    var_dump($isSound);
}
$redis->setOption(Redis::OPT_PREFIX, '');
echo implode(' ', $redis->sortAsc('list')), '; ', implode(' ', $redis->sortDesc('list', null, null, 0, 2)), "\n";

/* phpredis 5.3.7 leaves the rest of an error reply unread. */
foreach (['hScan', 'sScan', 'zScan'] as $method) {
    $iterator = null;
    var_dump($redis->$method('list', $iterator), $redis->get('after'));
    var_dump($redis->pipeline()->get('after')->lLen('list')->exec());
}
?>
--EXPECT--
OneHop\Redis::sortAsc() is not supported: the command was not sent; phpredis announces fewer words than it then sends: the connection would be out of step. Use sort() with the option 'get'
OneHop\Redis::sortDescAlpha() is not supported: the command was not sent; phpredis sends words it has not announced: the connection would be out of step. Pass null for no GET pattern
OneHop\Redis::sortAsc() is not supported: the command was not sent; phpredis announces words it does not send: the server would wait for ever. Leave the argument out
OneHop\Redis::xinfo() is not supported: the command was not sent; phpredis does not read the whole reply of XINFO HELP: the connection would be out of step. Ask the documentation
OneHop\Redis::xinfo() is not supported: the command was not sent; phpredis does not read the whole reply of XINFO HELP: the connection would be out of step. Ask the documentation
bool(true)
bool(true)
1 2 3; 3 2
bool(false)
bool(false)
array(2) {
  [0]=>
  bool(false)
  [1]=>
  int(3)
}
bool(false)
bool(false)
array(2) {
  [0]=>
  bool(false)
  [1]=>
  int(3)
}
bool(false)
bool(false)
array(2) {
  [0]=>
  bool(false)
  [1]=>
  int(3)
}
