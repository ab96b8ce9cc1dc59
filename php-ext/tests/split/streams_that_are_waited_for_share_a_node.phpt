--TEST--
XREAD and XREADGROUP with BLOCK wait on one node; for streams of several nodes they are refused
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([lab_redis(), lab_redis()], ['hash_tag' => '"{}"']);
$redis = new OneHop\Redis('alpha', $config);
[$one, $other] = array_values(lab_key_of_each($config, 'stream:'));
$apart = [$one => '0', $other => '0'];
$together = ['{tag}1' => '0', '{tag}2' => '0'];
foreach ([$one, $other, '{tag}1', '{tag}2'] as $stream) {
    $redis->xAdd($stream, '1-1', ['of' => $stream]);
    $redis->xGroup('CREATE', $stream, 'group', '0');
}

echo "refused\n";
lab_tell(fn () => $redis->xRead($apart, 1, 100));
$kind = function (Closure $call): string {
    try {
        return json_encode($call());
    } catch (OneHop\Exception $e) {
        return $e->getKind() . ($e->mayHaveExecuted() ? '' : ', not sent');
    }
};
lab_show('for ever', $kind(fn () => $redis->xRead($apart, 1, 0)));
lab_show('a group', $kind(fn () => $redis->xReadGroup(
    'group',
    'me',
    array_fill_keys([$one, $other], '>'),
    1,
    100,
)));
lab_show('raw', $kind(
    fn () => $redis->rawCommand('XREAD', 'BLOCK', '100', 'STREAMS', $one, $other, '0', '0'),
));
$redis->pipeline();
lab_show('in a pipeline', $kind(fn () => $redis->xRead($apart, 1, 100)));
$redis->discard();

echo "served\n";
lab_show('one node', $redis->xRead($together, 1, 100));
lab_show('one node, a group', $redis->xReadGroup(
    'group',
    'me',
    array_fill_keys(array_keys($together), '>'),
    1,
    100,
));
lab_show('nothing new', $redis->xRead(array_fill_keys(array_keys($together), '9-9'), 1, 20));
lab_show('several nodes without BLOCK', $redis->xRead($apart) == [
    $one => ['1-1' => ['of' => $one]],
    $other => ['1-1' => ['of' => $other]],
]);
lab_show('in a pipeline', count($redis->pipeline()->xRead($together, 1, 100)->exec()[0]));
?>
--EXPECT--
refused
OneHop\CrossNode, node none, may have executed: false
  XREAD needs all its keys on one node: key "stream:0" is on node node-0, key "stream:100" on node node-1, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{stream:0}" and "{stream:0}stream:100"
for ever: "CrossNode, not sent"
a group: "CrossNode, not sent"
raw: "CrossNode, not sent"
in a pipeline: "CrossNode, not sent"
served
one node: {"{tag}1":{"1-1":{"of":"{tag}1"}},"{tag}2":{"1-1":{"of":"{tag}2"}}}
one node, a group: {"{tag}1":{"1-1":{"of":"{tag}1"}},"{tag}2":{"1-1":{"of":"{tag}2"}}}
nothing new: []
several nodes without BLOCK: true
in a pipeline: 2
