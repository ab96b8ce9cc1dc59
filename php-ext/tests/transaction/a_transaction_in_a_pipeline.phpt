--TEST--
A transaction in a pipeline is one reply of one node; if OneHop refuses it, the rest runs
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis()];
/* A long timeout, because a call makes thousands of round trips. */
$config = lab_config($ports, ['hash_tag' => '"{}"', 'timeout' => '30000']);
$redis = new OneHop\Redis('alpha', $config);
$plain = lab_plain(lab_redis());
$keys = array_values(lab_key_of_each($config));

function walk(Redis $redis): array
{
    $told = [];
    $tell = function ($value) use (&$told, $redis) {
        $told[] = $value === $redis ? 'itself' : $value;
    };
    $redis->pipeline()->set('a', 1)->set('b', 2);
    array_map($tell, [
        $redis->multi(), $redis->getMode(), $redis->multi(), $redis->incr('{t}n'),
        $redis->hMSet('{t}h', ['x' => 1]), $redis->hGetAll('{t}h'),
        $redis->mset(['{t}k' => 'v', '{t}l' => 'w']), $redis->exec(), $redis->getMode(),
    ]);
    $redis->mget(['a', 'b', 'c']);
    $redis->multi()->exec();
    $redis->multi()->get('a')->exec();
    $redis->get('{t}n');
    $tell($redis->exec());
    $tell($redis->getMode());
    $redis->pipeline()->set('{t}s', 'text')->multi()->incr('{t}s')->get('{t}s')->exec()->get('a');
    $tell($redis->exec());
    $tell($redis->getLastError());
    $redis->clearLastError();
    $redis->pipeline()->set('gone', 1)->multi()->set('{t}gone', 1);
    $tell($redis->discard());
    array_map($tell, [$redis->getMode(), $redis->get('gone'), $redis->get('{t}gone')]);
    return $told;
}
$expected = walk($plain);
lab_show('as on one server', walk($redis) === $expected);
lab_show('replies', count($expected));

echo "of one node\n";
foreach ([
    fn () => $redis->set($keys[1], 'yours'),
    fn () => $redis->mget([$keys[0], $keys[1]]),
    fn () => $redis->dbSize(),
] as $call) {
    $redis->pipeline()->set($keys[0], 'before')->multi()->set($keys[0], 'mine')->get($keys[0]);
    lab_tell($call);
    lab_tell(fn () => $redis->get($keys[0]));
    lab_tell(fn () => $redis->exec());
    $redis->append($keys[0], ' and after')->multi()->get($keys[0])->exec();
    lab_show('the pipeline', $redis->set($keys[1], 'else')->exec());
}
echo "transactions without a key; then many transactions, of which every third is refused\n";
$redis->pipeline()->multi();
lab_tell(fn () => $redis->dbSize());
lab_tell(fn () => $redis->exec());
lab_show('mode', $redis->getMode());
for ($i = 0; $i < 500; $i++) {
    $redis->multi()->set("{r$i}", $i)->get("{r$i}");
    try {
        $i % 3 || $redis->dbSize();
        $redis->exec();
    } catch (OneHop\Unsupported) {
        try {
            $redis->exec();
        } catch (OneHop\Unsupported) {
        }
    }
    $redis->get("{r$i}");
}
$expected = [];
for ($i = 0; $i < 500; $i++) {
    array_push($expected, ...($i % 3 ? [[true, "$i"], "$i"] : [false]));
}
lab_show('all replies are right', $redis->exec() === $expected);
lab_show('last error', $redis->getLastError());
$redis->watch($keys[0]);
$redis->pipeline();
lab_tell(fn () => $redis->multi());
$redis->discard();
$redis->unwatch();

echo "many on all nodes in parallel\n";
$redis->pipeline();
for ($i = 0; $i < 2000; $i++) {
    $redis->multi()->set("{k$i}", str_repeat((string) $i, 200))->strlen("{k$i}")->exec()
        ->get("{k$i}");
}
$replies = $redis->exec();
$wrong = 0;
for ($i = 0; $i < 2000; $i++) {
    $value = str_repeat((string) $i, 200);
    $wrong += $replies[2 * $i] !== [true, strlen($value)] || $replies[2 * $i + 1] !== $value;
}
lab_show('wrong', $wrong);
lab_show('replies', count($replies));

echo "a command that the node refuses to queue\n";
$redis->pipeline()->set($keys[1], 'done')->multi()->set($keys[0], 'theirs')
    ->rawCommand('HSET', $keys[0]);
try {
    lab_show('never', $redis->exec()->exec());
} catch (OneHop\PartialBatch $e) {
    $said = 'The node refused a transaction in the pipeline';
    lab_show('it says so', str_contains($e->getMessage(), $said));
}
lab_show('of the transaction', $redis->get($keys[0]));
lab_show('before it', $redis->get($keys[1]));

echo "a node that refuses MULTI\n";
foreach ($ports as $port) {
    lab_plain($port)->rawCommand('ACL', 'SETUSER', 'default', '-multi');
}
$redis->pipeline()->set($keys[0], 'before')->multi()->set('{' . $keys[0] . '}x', 'within')->exec()
    ->set('{' . $keys[0] . '}y', 'after');
try {
    $redis->exec();
} catch (OneHop\Unsupported $e) { // The servers' error texts differ by version.
    echo preg_replace('/NOPERM .* command,/', 'NOPERM ...,', lab_hide($e->getMessage())), "\n";
}
lab_show('before it', $redis->get($keys[0]));
lab_show('within and after', $redis->exists('{' . $keys[0] . '}x', '{' . $keys[0] . '}y'));

echo "ended by the script's own code while a value is packed\n";
final class Ending
{
    public static Redis $redis;
    public function __serialize(): array
    {
        self::$redis->exec();
        return [];
    }
}
$redis = Ending::$redis = new OneHop\Redis('alpha', lab_config([lab_redis()]));
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$reply = $redis->pipeline()->multi()->set('a', 1)->set('b', ['first', new Ending()])->exec();
lab_show('reply', $reply);
?>
--EXPECT--
as on one server: true
replies: 17
of one node
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to node node-2 by key "key:0", but key "key:120" belongs to node node-1, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: The transaction is bound to node node-2 by key "key:0", but key "key:120" belongs to node node-1, server pool alpha: the command was not sent; call discard(), then start again; give its keys a common hash tag, so that they share a node
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: The transaction is bound to node node-2 by key "key:0", but key "key:120" belongs to node node-1, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
the pipeline: [true,16,["before and after"],true]
OneHop\CrossNode, node none, may have executed: false
  MGET needs all its keys on one node in a transaction: key "key:0" is on node node-2, key "key:120" on node node-1, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{key:0}" and "{key:0}key:120"
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: MGET needs all its keys on one node in a transaction: key "key:0" is on node node-2, key "key:120" on node node-1, server pool alpha: the command was not sent; call discard(), then start again; give both keys the same hash tag, such as "{key:0}" and "{key:0}key:120"
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: MGET needs all its keys on one node in a transaction: key "key:0" is on node node-2, key "key:120" on node node-1, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{key:0}" and "{key:0}key:120"
the pipeline: [true,16,["before and after"],true]
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::dbSize() cannot be used in a transaction: the command was not sent; it goes to every node; call it before multi() or after exec()
OneHop\Unsupported, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: OneHop\Redis::dbSize() cannot be used in a transaction, server pool alpha: the command was not sent; call discard(), then start again; it goes to every node; call it before multi() or after exec()
OneHop\Unsupported, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: OneHop\Redis::dbSize() cannot be used in a transaction, server pool alpha: the command was not sent; it goes to every node; call it before multi() or after exec()
the pipeline: [true,16,["before and after"],true]
transactions without a key; then many transactions, of which every third is refused
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::dbSize() cannot be used in a transaction: the command was not sent; it goes to every node; call it before multi() or after exec()
OneHop\Unsupported, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: OneHop\Redis::dbSize() cannot be used in a transaction, server pool alpha: the command was not sent; it goes to every node; call it before multi() or after exec()
mode: 2
all replies are right: true
last error: null
OneHop\Unsupported, node none, may have executed: false
  watch() does not protect a transaction in a pipeline: the command was not sent; after watch(), call multi() without pipeline()
many on all nodes in parallel
wrong: 0
replies: 4000
a command that the node refuses to queue
it says so: true
of the transaction: "before and after"
before it: "done"
a node that refuses MULTI
The node refused MULTI: NOPERM ..., node node-2 (127.0.0.1:PORT), server pool alpha: the command may have executed; neither the transaction nor anything queued after it was executed
before it: "before"
within and after: 0
ended by the script's own code while a value is packed
reply: [[true],true]
