--TEST--
Every method of phpredis is served or refused by name, also with a node as its first argument
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_redis();
$redis = new OneHop\Redis('alpha', lab_config([$port]));
$plain = lab_plain($port);
$before = $plain->info('commandstats');
$refused = $served = $odd = [];
foreach ((new ReflectionClass(Redis::class))->getMethods() as $method) {
    $name = $method->getName();
    $ours = new ReflectionMethod(OneHop\Redis::class, $name);
    if ($ours->getDeclaringClass()->getName() !== OneHop\Redis::class) {
        $odd[] = "$name is not ours";
    }
    /* phpredis 5.3.7 ends the script if the timeout of a blocking method is not a number. */
    if (in_array($name, ['__construct', 'blPop', 'brPop', 'bzPopMax', 'bzPopMin'], true)) {
        continue;
    }
    try {
        @$redis->$name(...array_fill(0, max($method->getNumberOfRequiredParameters(), 0), 'x'));
        $served[] = $name;
    } catch (OneHop\Unsupported $e) {
        if (
            !str_contains($e->getMessage(), "::$name()")
            || $e->mayHaveExecuted()
            || $e->getKind() !== 'Unsupported'
        ) {
            $odd[] = $name;
        }
        $refused[] = $name;
    } catch (Throwable $e) {
        $served[] = $name;
        if (str_contains($e->getMessage(), 'went away')) {
            $odd[] = "$name: " . $e->getMessage();
        }
    }
    @$redis->discard();
}
lab_show('odd', $odd);
lab_show('many are served', count($served) > 120);
lab_tell(fn () => $redis->connect('127.0.0.1', 1));
lab_tell(fn () => $redis->auth('secret'));
lab_tell(fn () => $redis->swapdb(0, 1));
lab_tell(fn () => $redis->select(5));
lab_tell(fn () => $redis->select(0));
lab_tell(fn () => @$redis->slaveof('127.0.0.1', 1));
lab_tell(fn () => $redis->client('id'));
lab_tell(fn () => $redis->client('unheard-of'));
lab_tell(fn () => $redis->object('freq-uency', 'key'));
lab_tell(fn () => $redis->xInfo('HELP'));

echo "a node as the first argument, as RedisCluster takes it: no node receives the command\n";
$ours = new OneHop\Redis('alpha', lab_config([lab_redis(), lab_redis()]));
foreach ([
    'flushDB', 'flushAll', 'info', 'dbSize', 'bgSave', 'save', 'lastSave', 'time', 'randomKey',
    'bgrewriteaof', 'role',
] as $method) {
    foreach (['key:1', '127.0.0.1:6379', ['127.0.0.1', 6379]] as $node) {
        $ours->set('a', 1);
        try {
            $ours->$method($node);
            echo "$method: served\n";
        } catch (OneHop\Unsupported | TypeError | ArgumentCountError $e) {
            /* What PHP itself refuses must fail in plain phpredis, too. */
            if (!$e instanceof OneHop\Unsupported) {
                try {
                    $plain->$method($node);
                    echo "$method: served by phpredis\n";
                } catch (TypeError) {
                }
            }
        }
        $ours->get('a') === '1' || print("$method: flushed\n");
    }
}
lab_tell(fn () => $ours->flushDB('key:1'));
foreach ([fn () => $ours->pipeline(), fn () => $ours->multi()] as $begin) {
    $begin();
    lab_tell(fn () => $ours->flushAll('key:1'));
    $ours->discard();
}

echo "phpredis' own first argument is still accepted\n";
foreach ([true, false, 1, 0, '1', '0', ''] as $async) {
    foreach (['flushDB', 'flushAll'] as $method) {
        $ours->set('a', 1);
        $ours->$method($async) === true && $ours->dbSize() === 0 || print("$method: not flushed\n");
    }
}
foreach (['server', 'SERVER', 'everything', 'commandstats', 'no_section'] as $section) {
    [$one, $fleet] = array_map(
        static fn ($redis) => array_key_exists('redis_version', (array) $redis->info($section)),
        [$plain, $ours],
    );
    $one === $fleet || print("$section\n");
}
lab_show('PING', $ours->ping('key:1') === $plain->ping('key:1'));
lab_show('on one node', $ours->onNode('node-0', 'flushDB'));
lab_show('on each node', is_array($ours->onEachNode('time')));
?>
--EXPECT--
odd: []
many are served: true
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::connect() is not supported; the nodes and their addresses come from the server pool's configuration, connections are made when they are needed: drop the call, `new OneHop\Redis(pool)` is enough
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::auth() is not supported; connections are made and authenticated by the pool: set `redis_auth` (and `username`) in the server pool's configuration
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::swapdb() is not supported; it cannot happen on all nodes in the same moment, so readers would see both states: use two server pools and switch between them
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::select() is not supported; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
value: true
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::slaveof() is not supported; replication is set up for each server: send it to the node you mean with onNode, or leave it to Sentinel
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::client() with CLIENT ID is not supported: the command was not sent; each call may use another connection, so the answer would be about an arbitrary one: CLIENT LIST shows them all
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::client(): unknown command "client unheard-of": the command was not sent; send it to nodes of your choice with onNode() or onEachNode(), because OneHop cannot tell which argument is the key
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::object(): unknown command "object freq-uency": the command was not sent; send it to nodes of your choice with onNode() or onEachNode(), because OneHop cannot tell which argument is the key
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::xinfo() is not supported: the command was not sent; phpredis does not read the whole reply of XINFO HELP: the connection would be out of step. Read the documentation instead
a node as the first argument, as RedisCluster takes it: no node receives the command
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::flushDB() is not supported: the command was not sent; unlike in RedisCluster, the first argument does not select a node, and the call would run on all of them; omit it to do that, or use onNode()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::flushAll() is not supported: the command was not sent; unlike in RedisCluster, the first argument does not select a node, and the call would run on all of them; omit it to do that, or use onNode()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::flushAll() is not supported: the command was not sent; unlike in RedisCluster, the first argument does not select a node, and the call would run on all of them; omit it to do that, or use onNode()
phpredis' own first argument is still accepted
PING: true
on one node: true
on each node: true
