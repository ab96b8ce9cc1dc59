--TEST--
A command without a key goes to every node or to any node, and returns one reply of the usual type
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];
$config = lab_config($ports);
$fleet = new OneHop\Redis('alpha', $config);
$plain = lab_plain(lab_redis());
foreach ([$fleet, $plain] as $redis) {
    for ($i = 0; $i < 100; $i++) {
        $redis->set("k$i", "v$i", $i % 10 ? null : 1000);
    }
    $redis->xAdd('s', '1-1', ['f' => 'v']);
    $redis->xAdd('t', '1-1', ['f' => 'v']);
    $redis->xAdd('u', '1-1', ['f' => 'v']);
}
$sha = sha1('return 7');
$calls = [
    ['dbSize'], ['keys', 'k1*'], ['keys', 'nothing*'], ['ping'], ['ping', 'text'], ['echo', 'text'],
    ['config', 'get', 'maxmemory-policy'], ['config', 'get', 'maxmemory*'],
    ['config', 'set', 'maxmemory-policy', 'allkeys-lru'],
    ['config', 'get', 'maxmemory-policy'], ['config', 'resetstat'],
    ['config', 'set', 'nothing', '1'], ['getLastError'], ['clearLastError'],
    ['acl', 'whoami'], ['acl', 'users'], ['acl', 'setuser', 'joe', 'on', '>secret'],
    ['acl', 'users'], ['acl', 'deluser', 'joe'],
    ['script', 'exists', $sha], ['script', 'load', 'return 7'],
    ['script', 'exists', $sha, str_repeat('0', 40)], ['evalSha', $sha, ['k1'], 1],
    ['script', 'load', 'no lua'], ['script', 'flush'], ['script', 'exists', $sha],
    ['script', 'kill'],
    ['pubsub', 'channels'], ['pubsub', 'numpat'], ['pubsub', 'numsub', ['a', 'b', 'c', 'd']],
    ['slowlog', 'reset'], ['slowlog', 'len'], ['slowlog', 'get'], ['save'],
    ['xRead', ['s' => '0', 'nothing' => '0', 'u' => '0', 't' => '0']],
    ['xRead', ['nothing' => '0', 'none' => '0']], ['xRead', ['s' => '0', 'k1' => '0']],
    ['rawCommand', 'XREAD', 'COUNT', '1', 'STREAMS', 't', 'u', 's', '0', '0', '0'],
    ['rawCommand', 'DBSIZE'], ['rawCommand', 'KEYS', 'k2*'],
    ['rawCommand', 'PUBSUB', 'NUMSUB', 'd', 'c', 'b', 'a'],
    ['rawCommand', 'CONFIG', 'GET', 'maxmemory-policy'],
    ['rawCommand', 'SCRIPT', 'EXISTS', $sha], ['rawCommand', 'PING'],
    ['rawCommand', 'ECHO', 'text'],
    ['setOption', Redis::OPT_PREFIX, 'k'], ['keys', '1*'], ['xRead', ['nothing' => '0']],
    ['setOption', Redis::OPT_PREFIX, ''],
    ['flushDB'], ['dbSize'], ['randomKey'], ['set', 'only', '1'], ['randomKey'], ['flushAll'],
    ['dbSize'],
];
$answer = static function (Redis $redis, array $call) {
    try {
        $reply = @$redis->{$call[0]}(...array_slice($call, 1));
    } catch (Throwable $e) {
        return get_class($e) . ': ' . $e->getMessage();
    }
    if (is_array($reply) && (strtolower($call[0]) === 'keys' || ($call[1] ?? '') === 'KEYS')) {
        sort($reply);
    }
    if (is_array($reply) && strtolower($call[0]) === 'config') {
        ksort($reply);
    }
    return $reply;
};
foreach ($calls as $call) {
    [$expected, $given] = [$answer($plain, $call), $answer($fleet, $call)];
    if ($expected !== $given) {
        echo json_encode($call), ': ', json_encode($expected), ' on one server, ',
            json_encode($given), " on four\n";
    }
}
echo "-- the same type as one server's reply\n";
foreach ([['time'], ['lastSave'], ['command'], ['bgSave'], ['client', 'list']] as $call) {
    [$one, $four] = [$answer($plain, $call), $answer($fleet, $call)];
    echo implode(' ', $call), ' ', gettype($four), ' ', var_export(
        gettype($one) === gettype($four)
            && (!is_array($one) || array_is_list($one) === array_is_list($four)),
        true,
    ), "\n";
}
lab_show('clients of all nodes', count($fleet->client('list')) >= 4);
echo "-- INFO in the form of one server's reply\n";
foreach (range(1, 50) as $i) {
    $fleet->set('key ' . md5($i), $i);
}
$fleet->expire('key ' . md5(1), 1000);
$info = $fleet->info();
$one = lab_plain($ports[0])->info();
lab_show('the version is that of one server', $info['redis_version'] === $one['redis_version']);
lab_show('keys', $info['db0']);
lab_show('INFO has a port', isset($info['tcp_port']));
lab_show('memory of all nodes', $info['used_memory'] > 3 * $one['used_memory']);
lab_show('fields that one server does not have', array_diff_key($info, $one));
lab_show('clients are a number', is_int($info['connected_clients']));
lab_show('a section has its fields', is_string($fleet->info('server')['redis_version']));
preg_match_all(
    '/^(?:# (?:Server|Memory|Keyspace)|db0:keys=50|redis_version:)/m',
    $fleet->rawCommand('INFO'),
    $lines,
);
echo implode(' ', $lines[0]), "\n";
echo "-- no single reply\n";
lab_tell(fn () => $fleet->config('get', 'port'));
lab_tell(fn () => array_map(fn ($role) => $role[0], $fleet->role()));
lab_tell(fn () => array_keys($fleet->rawCommand('MEMORY', 'DOCTOR')));
echo "-- all nodes have the new setting\n";
$policies = array_map(fn ($port) => lab_plain($port)->config('get', 'maxmemory-policy'), $ports);
$all = array_fill(0, 4, ['maxmemory-policy' => 'allkeys-lru']);
lab_show('all have it', $policies === $all);
?>
--EXPECT--
-- the same type as one server's reply
time array true
lastSave integer true
command array true
bgSave boolean true
client list array true
clients of all nodes: true
-- INFO in the form of one server's reply
the version is that of one server: true
keys: "keys=50"
INFO has a port: false
memory of all nodes: true
fields that one server does not have: []
clients are a number: true
a section has its fields: true
# Server redis_version: # Memory # Keyspace db0:keys=50
-- no single reply
OneHop\Unsupported, node none, may have executed: true
  The nodes gave different answers, which no single reply can express, server pool alpha: the command was answered; ask each node with onEachNode()
value: {"node-0":"master","node-1":"master","node-2":"master","node-3":"master"}
value: ["node-0","node-1","node-2","node-3"]
-- all nodes have the new setting
all have it: true
