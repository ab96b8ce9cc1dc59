--TEST--
A connection is named after server pool and file; a name that a script sets stays with the object
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';
require __DIR__ . '/../lab/processes.inc';

$name = static fn (string $config, string $word = 'onehop'): string
    => "$word:alpha:" . substr((new OneHop\Topology('alpha', $config))->fingerprint(), 0, 8);
/** The names of a server's connections by id, without those of the test and of its nodes. */
$named = static function (int $port, ?string $password = null): array {
    $plain = lab_plain($port);
    $password && $plain->auth($password);
    $all = array_filter(
        $plain->client('list'),
        static fn (array $client) => !in_array($client['cmd'], ['client|list', 'publish'], true)
            && !preg_match('/[SM]/', $client['flags']),
    );
    return array_column($all, 'name', 'id');
};

echo "a call, a batch, a subscription\n";
$config = lab_config([$port = lab_redis()], ['database' => 0]);
$redis = new OneHop\Redis('alpha', $config);
$redis->set('key', 'value');
$redis->pipeline()->get('key')->get('key')->exec();
lab_show('named', array_values($named($port)) === [$name($config)]);
speaker("say($port, 'channel', 'hello');");
$redis->subscribe(['channel'], static function ($redis) use ($named, $port, $name, $config) {
    lab_show('named', array_values($named($port)) === [$name($config), $name($config)]);
    $redis->unsubscribe(['channel']);
});
if ($redis->get('key') !== 'value') { /* The subscription has ended. */
    echo "a wrong value\n";
}

echo "names that a script gives its object\n";
[$redis, $other] = [new OneHop\Redis('alpha', $config), new OneHop\Redis('alpha', $config)];
lab_show('before', $redis->client('getname'));
lab_show('set', [$redis->client('SETNAME', 'mine'), $redis->client('getname')]);
lab_show('another object', $other->client('getname'));
lab_show('raw', [
    $redis->rawCommand('CLIENT', 'getname'), $redis->rawCommand('client', 'setname', 'ours'),
    $redis->client('GETNAME'),
]);
lab_show('setinfo', [
    $redis->client('setinfo', 'LIB-NAME', 'framework'), $redis->client('setinfo', 'lib-ver', '1.0'),
]);
lab_show('refused by servers, too', [
    $redis->client('setname', 'not mine'), $redis->client('setname', "mine\n"),
    $redis->client('setinfo', 'lib', 'x'), $redis->client('setinfo', 'lib-ver', '1 0'),
    $redis->client('getname'),
]);
$redis->set('key', 'value');
lab_show('named', array_values($named($port)) === [$name($config)]);
lab_show('and none', [$redis->client('setname', ''), $redis->client('getname')]);
lab_show('other subcommands', isset($redis->client('list')[0]['id']));
lab_tell(fn () => $redis->client('no-evict', 'on'));
lab_tell(fn () => $redis->pipeline()->client('setname', 'x')->exec());
$redis->discard();

echo "with a password\n";
$locked = lab_redis('--requirepass', 'secret');
$redis = new OneHop\Redis('alpha', $config = lab_config(
    [$locked],
    ['redis_auth' => 'secret', 'client_name' => 'shop'],
));
$redis->set('key', 'value');
lab_show('named', array_values($named($locked, 'secret')) === [$name($config, 'shop')]);
/* Without a password the node rejects the introduction, and so the command behind it. */
lab_tell(fn () => (new OneHop\Redis('alpha', lab_config([$locked])))->get('key'));

echo "old servers, users without the right, SSDB\n";
/* The node tells which commands have come in one piece. */
$script = '
    answers = {
        b"CLIENT": "-ERR unknown command `CLIENT`, with args beginning with: \r\n",
        b"GET": bulk("value"),
        b"VERSION": bulk("1.9.9"),
        b"SENTINEL": "*-1\r\n",
        b"MULTI": "+OK\r\n",
        b"AUTH": "+OK\r\n",
        b"EXEC": "*0\r\n",
    }
    while data := receive():
        tell(b" ".join(re.findall(rb"[$]\d+\r\n(\S+)", data)).decode())
        for command in re.findall(rb"[*]\d+\r\n[$]\d+\r\n(\S+)", data):
            send(answers[command])';
$written = static function (array $directives, ?callable $call = null) use ($script): void {
    $node = lab_node($script);
    $redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$node:1"], $directives));
    lab_show('value', ($call ?? static fn ($redis) => $redis->get('key'))($redis));
    foreach (lab_told($node) as $write) {
        echo '  ', preg_replace('/alpha:\S+/', 'alpha:FINGERPRINT', $write), "\n";
    }
};
$written([]);
$written(['redis_auth' => 'secret']);
$written([], static fn ($redis) => $redis->multi()->exec());
$written(['engine' => 'ssdb']);
$limited = lab_redis();
lab_plain($limited)->acl('SETUSER', 'shop', 'on', '>secret', '~*', '+get', '+set');
$redis = new OneHop\Redis('alpha', lab_config(
    [$limited],
    ['username' => 'shop', 'redis_auth' => 'secret'],
));
lab_show('value', $redis->set('key', 'value'));

echo "a changed file\n";
[$a, $b] = [lab_redis(), lab_redis()];
$config = lab_config([$a], [], 'changing.yml');
$redis = new OneHop\Redis('alpha', $config);
$redis->set('key', 'value');
$before = $named($a);
$held = new OneHop\Redis('alpha', $config);
$transaction = $held->multi();
$transaction->set('key', 'other');
lab_config([$a, $b], [], 'changing.yml');
Lab::until(static fn () => count(lab_key_of_each($config)) === 2, 'change');
$key = lab_key_of_each($config)['node-0'];
/* The transaction has the connection, so this call opens another one. */
lab_show('get', $redis->set($key, 'value'));
lab_show('exec', $held->exec());
$redis->get($key);
$held->get($key);
$after = $named($a);
lab_show('connections', [count($before), count($after)]);
lab_show('kept', isset($after[key($before)]));
lab_show('named', array_unique(array_values($after)) === [$name($config)]);

echo "two server pools on one node\n";
$text = 'alpha: {engine: redis, servers: ["127.0.0.1:%1$d node"]}' . "\n"
    . 'beta: {engine: redis, servers: ["127.0.0.1:%1$d node"]}';
file_put_contents($both = Lab::file('both.yml'), sprintf($text, $port = lab_redis()));
[$alpha, $beta] = [new OneHop\Redis('alpha', $both), new OneHop\Redis('beta', $both)];
for ($i = 0; $i < 3; $i++) {
    $alpha->set('key', 'value');
    $beta->set('key', 'value');
}
lab_show('connections', count($named($port)));
$count = lab_plain($port)->info('commandstats')['cmdstat_client|setname'];
preg_match('/calls=(\d+)/', $count, $calls);
lab_show('introductions', (int) $calls[1]);
lab_show('named', array_values($named($port)) === [$name($both)]);

echo "a Redis Cluster\n";
$cluster = new LabCluster(2);
$redis = new OneHop\Redis('alpha', lab_config(
    ["127.0.0.1:{$cluster->ports[0]}"],
    ['cluster' => 'true'],
));
foreach (range(1, 10) as $i) {
    $redis->set("key:$i", 'value');
}
$names = array_merge(...array_map($named, $cluster->ports));
lab_show('names', count(array_unique($names)));
lab_show('named', preg_match('/^onehop:alpha:[0-9a-f]{8}$/', $names[0]) === 1);

echo "Sentinels\n";
$sentinel = lab_node($script);
$redis = new OneHop\Redis('alpha', $config = lab_config(
    ["127.0.0.1:$port:1 node-0"],
    ['sentinels' => "\n  - 127.0.0.1:$sentinel"],
));
$redis->set('key', 'value');
lab_show('named', in_array($name($config), $named($port), true));
echo '  ', str_replace($name($config), 'NAME', lab_told($sentinel)[0]), "\n";
?>
--EXPECT--
a call, a batch, a subscription
named: true
named: true
names that a script gives its object
before: false
set: [true,"mine"]
another object: false
raw: ["mine",true,"ours"]
setinfo: [true,true]
refused by servers, too: [false,false,false,false,"ours"]
named: true
and none: [true,false]
other subcommands: true
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::client() with CLIENT NO-EVICT is not supported: the command was not sent; it changes one connection, and connections are shared: open a plain connection to the node for it
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::client() with CLIENT SETNAME is not supported: the command was not sent; connections are shared and have names of their own, and the client object keeps this one for itself: call it there, outside of pipelines and transactions
with a password
named: true
OneHop\ConfigInvalid, node node-0, may have executed: false
  The node requires a password: NOAUTH Authentication required, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; set redis_auth in the server pool
old servers, users without the right, SSDB
value: "value"
  CLIENT SETNAME onehop:alpha:FINGERPRINT CLIENT SETINFO lib-name onehop-php CLIENT SETINFO lib-ver 0.1.0-dev GET key
value: "value"
  AUTH secret CLIENT SETNAME onehop:alpha:FINGERPRINT CLIENT SETINFO lib-name onehop-php CLIENT SETINFO lib-ver 0.1.0-dev
  GET key
value: []
value: "value"
  VERSION
  GET key
value: true
a changed file
get: true
exec: [true]
connections: [1,2]
kept: true
named: true
two server pools on one node
connections: 1
introductions: 1
named: true
a Redis Cluster
names: 1
named: true
Sentinels
named: true
  CLIENT SETNAME NAME CLIENT SETINFO lib-name onehop-php CLIENT SETINFO lib-ver 0.1.0-dev SENTINEL GET-MASTER-ADDR-BY-NAME node-0 SENTINEL MASTER node-0
