--TEST--
A call that phpredis sends broken is refused with the reason; a failed scan leaves nothing behind
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
            lab_show($method, $object->$method(...$arguments) === $object ? 'queued' : 'served');
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
/* These two calls would crash phpredis 5.3.7. */
foreach ([
    ['geoRadius', 'g', 13, 38, 200, 'km', $options],
    ['geoRadiusByMember', 'g', 'Palermo', 200, 'km', $options],
] as $call) {
    try {
        $isSound = $redis->{ $call[0] }(...array_slice($call, 1)) === 1
            && $plain->exists('p:near') === 1
            && phpversion('redis') !== '5.3.7';
    } catch (OneHop\Unsupported $e) {
        $isSound = str_contains($e->getMessage(), 'kills the process')
            && phpversion('redis') === '5.3.7';
    }
    lab_show("$call[0] stores what it finds, or is refused with 5.3.7", $isSound);
}
$redis->setOption(Redis::OPT_PREFIX, '');
echo implode(' ', $redis->sortAsc('list')), '; ',
    implode(' ', $redis->sortDesc('list', null, null, 0, 2)), "\n";

/* phpredis 5.3.7 leaves the rest of an error reply unread. */
foreach (['hScan', 'sScan', 'zScan'] as $method) {
    $iterator = null;
    lab_show("$method of a list", $redis->$method('list', $iterator));
    lab_show('GET of an unset key', $redis->get('after'));
    lab_show(
        'this GET and LLEN in a pipeline',
        $redis->pipeline()->get('after')->lLen('list')->exec(),
    );
}
?>
--EXPECT--
OneHop\Redis::sortAsc() is not supported: the command was not sent; phpredis announces fewer words than it then sends: the connection would be out of step. Use sort() with the option 'get'
OneHop\Redis::sortDescAlpha() is not supported: the command was not sent; phpredis sends words it has not announced: the connection would be out of step. Pass null for no GET pattern
OneHop\Redis::sortAsc() is not supported: the command was not sent; phpredis announces words it does not send: the server would wait for ever. Leave the argument out
OneHop\Redis::xinfo() is not supported: the command was not sent; phpredis does not read the whole reply of XINFO HELP: the connection would be out of step. Read the documentation instead
OneHop\Redis::xinfo() is not supported: the command was not sent; phpredis does not read the whole reply of XINFO HELP: the connection would be out of step. Read the documentation instead
geoRadius stores what it finds, or is refused with 5.3.7: true
geoRadiusByMember stores what it finds, or is refused with 5.3.7: true
1 2 3; 3 2
hScan of a list: false
GET of an unset key: false
this GET and LLEN in a pipeline: [false,3]
sScan of a list: false
GET of an unset key: false
this GET and LLEN in a pipeline: [false,3]
zScan of a list: false
GET of an unset key: false
this GET and LLEN in a pipeline: [false,3]
