--TEST--
Keys that have a common tag are told to set hash_tag, and no tag is suggested twice
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([lab_redis(), lab_redis()]);
$keys = [];
for ($i = 0; count($keys) < 2; $i++) { /* Keys with one tag, on two nodes. */
    $key = "{cart:0}:$i";
    $keys[(new OneHop\Topology('alpha', $config))->locate($key)->name] ??= $key;
}
[$one, $other] = array_values($keys);
$redis = new OneHop\Redis('alpha', $config);
$advice = static function (callable $call) use ($one, $other): void {
    try {
        $call();
        echo "not refused\n";
    } catch (OneHop\CrossNode $refused) {
        [, $advice] = explode('not sent; ', $refused->getMessage());
        echo str_replace([$one, $other], ['ONE', 'OTHER'], $advice), "\n";
    }
};
$advice(static fn () => $redis->sInter($one, $other));
$redis->multi()->set($one, '1');
$advice(static fn () => $redis->set($other, '2'));
$redis->discard();
?>
--EXPECT--
set hash_tag: "{}" in the server pool and give both keys the same hash tag, such as "ONE" and "OTHER"
set hash_tag: "{}" in the server pool and give its keys a common hash tag, so that they share a node
