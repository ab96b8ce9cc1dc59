--TEST--
A node as the first argument, as RedisCluster takes it, is refused, and no node receives the command
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$plain = lab_plain(lab_redis());
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
var_dump(
    $ours->ping('key:1') === $plain->ping('key:1'),
    $ours->onNode('node-0', 'flushDB'),
    is_array($ours->onEachNode('time')),
);
?>
--EXPECT--
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::flushDB() is not supported: the command was not sent; unlike in RedisCluster, the first argument does not select a node, and the call would run on all of them; omit it to do that, or use onNode()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::flushAll() is not supported: the command was not sent; unlike in RedisCluster, the first argument does not select a node, and the call would run on all of them; omit it to do that, or use onNode()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::flushAll() is not supported: the command was not sent; unlike in RedisCluster, the first argument does not select a node, and the call would run on all of them; omit it to do that, or use onNode()
phpredis' own first argument is still accepted
bool(true)
bool(true)
bool(true)
