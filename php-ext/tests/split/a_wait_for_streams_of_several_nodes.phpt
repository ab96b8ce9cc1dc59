--TEST--
XREAD and XREADGROUP over several nodes return what one server returns, also with BLOCK
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports, ['timeout' => 2000]);
$redis = new OneHop\Redis('alpha', $config);
$topology = new OneHop\Topology('alpha', $config);
$keys = array_values(lab_key_of_each($config, 'stream:'));
$one = lab_plain(lab_redis());

function later(int $ms, int $port, string ...$words): void
{
    Lab::start([
        PHP_BINARY,
        ...lab_php_arguments(),
        '-r',
        '
            usleep((int) $argv[1] * 1000);
            $r = new Redis();
            $r->connect("127.0.0.1", (int) $argv[2]);
            $r->rawCommand(...array_slice($argv, 3));',
        '--',
        (string) $ms,
        (string) $port,
        ...$words,
    ]);
}
$blocked = fn () => array_sum(
    array_map(fn ($port) => (int) lab_plain($port)->info('clients')['blocked_clients'], $ports),
);

foreach ([$redis, $one] as $target) {
    foreach ($keys as $i => $key) {
        for ($n = 1; $n <= 3; $n++) {
            $target->xAdd($key, "$n-$i", ['n' => "$n of $key"]);
        }
        $target->xGroup('CREATE', $key, 'group', '0');
    }
}
$zero = array_fill_keys($keys, '0');
$new = array_fill_keys($keys, '$');
$next = array_fill_keys($keys, '>');
echo "as on one server\n";
$calls = [
    ['xRead', $zero], ['xRead', $zero, 2], ['xRead', array_reverse($zero, true), 1],
    ['xRead', $zero, 2, 100], ['xRead', [$keys[1] => '3-9']],
    ['xRead', array_fill_keys($keys, '9-9')], ['xRead', array_fill_keys($keys, '9-9'), 1, 50],
    ['xRead', [$keys[2] => '2-0', $keys[0] => '9-9'], 5, 5000],
    ['xReadGroup', 'group', 'me', $next, 1], ['xReadGroup', 'group', 'me', $next, 1, 100],
    ['xReadGroup', 'group', 'me', $zero], ['xReadGroup', 'group', 'me', $next],
    ['xReadGroup', 'group', 'me', $next, 1, 20], ['xReadGroup', 'group', 'me', $next],
];
foreach ($calls as $call) {
    $ours = $redis->{$call[0]}(...array_slice($call, 1));
    $theirs = $one->{$call[0]}(...array_slice($call, 1));
    if ($ours !== $theirs) {
        echo json_encode($call), ': ', json_encode($ours), ' instead of ', json_encode($theirs),
            "\n";
    }
}
echo "the first entry ends the wait\n";
foreach ($keys as $i => $key) {
    later(300, $topology->locate($key)->port, 'XADD', $key, '5-0', 'f', "from $i");
    echo json_encode($redis->xRead($new, 10, $i * 20000)), "\n";
    echo $blocked(), " still blocked\n";
}
$redis->setOption(Redis::OPT_PREFIX, 'stream:');
later(300, $topology->locate($keys[1])->port, 'XADD', $keys[1], '6-0', 'f', 'prefixed');
$bare = array_combine(array_map(fn ($key) => substr($key, 7), $keys), array_fill(0, 3, '$'));
echo json_encode($redis->xRead($bare, 10, 0)), "\n";
$redis->setOption(Redis::OPT_PREFIX, '');
later(300, $topology->locate($keys[2])->port, 'XADD', $keys[2], '7-0', 'f', 'raw');
echo json_encode(
    $redis->rawCommand('XREAD', 'BLOCK', '0', 'STREAMS', ...$keys, ...['$', '$', '$']),
), "\n";

echo "a writer races with the readers: no entry is lost or comes twice\n";
Lab::start([PHP_BINARY, ...lab_php_arguments(), '-r', '
    $redis = new OneHop\Redis("alpha", $argv[1]);
    $keys = array_slice($argv, 2);
    for ($i = 0; $i < 900; $i++) {
        $redis->xAdd($keys[$i % 3], "*", ["n" => $i]);
        if ($i % 3 === 2) {
            usleep(mt_rand(0, 300));
        }
    }', '--', $config, ...$keys]);
$seen = [];
$rounds = $several = 0;
while (count($seen) < 900 && $rounds < 3000) {
    $entries = $redis->xReadGroup('group', 'me', $next, 1, 5000);
    $rounds++;
    $several += count($entries) > 1;
    foreach ($entries as $key => $list) {
        foreach ($list as $id => $fields) {
            if (isset($fields['n']) && is_numeric($fields['n'])) {
                $seen[] = (int) $fields['n'];
            }
            $redis->xAck($key, 'group', [$id]);
        }
    }
}
lab_show('entries', count($seen));
lab_show('different entries', count(array_unique($seen)));
lab_show(
    'pending, the first three of each stream, which were not acknowledged',
    array_sum(array_map(fn ($key) => $redis->xPending($key, 'group')[0], $keys)),
);
lab_show('some replies had entries of several nodes', $several > 0);

echo "what is refused\n";
$redis->pipeline();
lab_tell(fn () => $redis->xRead($new, 1, 100));
$redis->discard();
$redis->multi();
lab_tell(fn () => $redis->xRead($new, 1, 100));
$redis->discard();
$small = new OneHop\Redis('alpha', lab_config($ports, ['pool_size' => 1], 'small.yml'));
lab_tell(fn () => $small->xRead($new, 1, 100));

echo "all connections are reused\n";
foreach ($ports as $port) {
    $plain = lab_plain($port);
    $plain->rawCommand('CLIENT', 'NO-EVICT', 'off');
    $left[] = (int) $plain->info('clients')['connected_clients'] <= 4 ? 'few' : 'many';
}
lab_show('connections of each node', implode(' ', $left));
lab_show('GET of an unset key', $redis->get('x'));
lab_show('MGET of unset keys', $redis->mget(['a', 'b', 'c', 'd']));
?>
--EXPECT--
as on one server
the first entry ends the wait
{"stream:0":{"5-0":{"f":"from 0"}}}
0 still blocked
{"stream:100":{"5-0":{"f":"from 1"}}}
0 still blocked
{"stream:300":{"5-0":{"f":"from 2"}}}
0 still blocked
{"stream:100":{"6-0":{"f":"prefixed"}}}
[["stream:300",[["7-0",["f","raw"]]]]]
a writer races with the readers: no entry is lost or comes twice
entries: 900
different entries: 900
pending, the first three of each stream, which were not acknowledged: 9
some replies had entries of several nodes: true
what is refused
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::xread() is not supported: the command was not sent; streams of several nodes cannot be waited for in a pipeline: call it alone
OneHop\CrossNode, node none, may have executed: false
  XREAD needs all its keys on one node, being in a transaction: key "stream:0" is on node node-0, key "stream:100" on node node-1, server pool alpha: the command was not sent; set hash_tag: "{}" in the server pool and give both keys one hash tag, such as "{stream:0}" and "{stream:0}stream:100"
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::xread() is not supported: the command was not sent; set pool_size to 2 or more: one connection waits, the other one ends the wait
all connections are reused
connections of each node: "few few few"
GET of an unset key: false
MGET of unset keys: [false,false,false,false]
