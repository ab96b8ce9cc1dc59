--TEST--
Failures that were counted before the directives of a node changed are not shown afterwards
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

ini_set('error_log', '/dev/null');
$port = Lab::port();
$config = static fn (int $size) => lab_config([$port], ['pool_size' => $size], 'live.yml');
$redis = new OneHop\Redis('alpha', $config(1));
$node = static fn () => OneHop\Topology::status()[0]['nodes'][0];
$fail = static function () use ($redis): void {
    try {
        $redis->get('key');
    } catch (OneHop\NodeDown) {
    }
};
$fail();
lab_show('failures', $node()['failures']);
$config(2);
Lab::until(static function () use ($fail, $node) {
    $fail();
    return $node()['connections']['max'] === 2;
}, 'client that follows the file');
lab_redis_at($port);
Lab::until(static function () use ($redis) {
    try {
        return $redis->set('key', 'value');
    } catch (OneHop\NodeDown) {
        return false;
    }
}, 'node');
lab_show('failures of the node as it is now', $node()['failures']);
lab_show('its state', $node()['state']);
?>
--EXPECT--
failures: 1
failures of the node as it is now: 0
its state: "up"
