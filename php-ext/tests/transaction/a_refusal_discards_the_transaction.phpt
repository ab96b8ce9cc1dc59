--TEST--
A refused call discards the transaction, as an error in its queue does; a bad argument does not
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis()];
$config = lab_config($ports, ['hash_tag' => '"{}"']);
$plain = lab_plain($server = lab_redis());
$ours = new OneHop\Redis('alpha', $config);
[$one, $two] = array_values(lab_key_of_each($config));

// By socket, because phpredis waits forever for more after EXECABORT.
echo "the original: what a server answers\n";
$socket = stream_socket_client("tcp://127.0.0.1:$server");
fwrite($socket, "MULTI\r\nSET a 1\r\nSET a\r\nSET a 2\r\nEXEC\r\nEXISTS a\r\n");
for ($i = 0; $i < 6; $i++) {
    echo strtok(fgets($socket), "\r\n "), ' ';
}
echo "\n";

/*
 * The outcomes of the call, of the next one and of exec(); the mode of the object; what is stored;
 * and whether the next transaction works.
 */
function abandon(OneHop\Redis $redis, string $key, callable $call): string
{
    $end = function (callable $call): string {
        try {
            $call();
            return 'served';
        } catch (OneHop\Exception $e) {
            return $e->getKind()
                . (str_contains($e->getMessage(), 'was discarded') ? ', discarded' : '')
                . ($e->mayHaveExecuted() ? ', may have executed' : '');
        }
    };
    $redis->multi()->set($key, 1);
    return implode('; ', [
        $end($call), $end(fn () => $redis->set($key, 2)), $end(fn () => $redis->exec()),
        $redis->getMode(), var_export($redis->get($key), true),
        json_encode($redis->multi()->get($key)->exec()),
    ]);
}
foreach ([
    fn () => $ours->set($two, 1),
    fn () => $ours->mget([$one, $two]),
    fn () => $ours->dbSize(),
    fn () => $ours->eval('return 1'),
    fn () => $ours->rawCommand('NOCOMMAND', $one),
    fn () => $ours->rawCommand('MSET', $one, 1, $two, 2),
    fn () => $ours->connect('127.0.0.1'),
] as $call) {
    echo abandon($ours, $one, $call), "\n";
}

echo "a discarded transaction that is left open executes nothing later\n";
try {
    $ours->multi()->set($one, 'half')->set($two, 'half');
} catch (OneHop\CrossNode) {
}
lab_tell(fn () => $ours->get($one));
lab_show('the next transaction runs', $ours->multi()->incr('n')->exec() === [1]);
lab_show('GET of the key of the discarded transaction', $ours->get($one));
try {
    $ours->multi()->set($one, 'half')->set($two, 'half');
} catch (OneHop\CrossNode) {
}
lab_show('discard', $ours->discard());
lab_show('GET of the key of that transaction', $ours->get($one));
lab_show('mode', $ours->getMode());

echo "arguments that were never accepted\n";
$bad = [
    fn ($redis) => $redis->expire('{t}a', 'abc'),
    fn ($redis) => $redis->set('{t}a'),
    fn ($redis) => $redis->get(),
    fn ($redis) => $redis->hMSet('{t}a', 'no array'),
    fn ($redis) => $redis->noMethod(),
];
foreach ([
    'pipeline' => [fn ($redis) => $redis->pipeline(), fn ($redis) => $redis->exec()],
    'transaction' => [fn ($redis) => $redis->multi(), fn ($redis) => $redis->exec()],
    'transaction in a pipeline' => [
        fn ($redis) => $redis->pipeline()->set('{t}b', 1)->multi(),
        fn ($redis) => $redis->exec()->get('{t}b')->exec(),
    ],
] as $name => [$begin, $end]) {
    $told = [];
    foreach ([$plain, $ours] as $i => $redis) {
        foreach ($bad as $call) {
            foreach ([false, true] as $isSecond) {
                $begin($redis);
                $isSecond && $redis->set('{t}a', 7);
                try {
                    $call($redis);
                    $told[$i][] = 'no error';
                } catch (Error $e) {
                    $told[$i][] = get_class($e);
                }
                $told[$i][] = $end($redis->get('{t}a'));
            }
        }
    }
    echo "$name: ", $told[0] === $told[1] ? 'as with phpredis, ' : json_encode($told),
        count(preg_grep('~Error$~', array_filter($told[0], is_string(...)))), " errors\n";
}

echo "refused while a value is packed\n";
final class Nested
{
    public function __serialize(): array
    {
        try {
            $GLOBALS['ours']->dbSize();
        } catch (OneHop\Unsupported) {
        }
        return ['packed'];
    }
}
$ours->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$ours->multi()->set('{t}c', 1);
lab_tell(fn () => $ours->set('{t}c', [1, new Nested()]));
lab_tell(fn () => $ours->exec());
$ours->pipeline()->set('{t}c', 1)->multi()->set('{t}c', 2);
lab_tell(fn () => $ours->set('{t}c', [1, new Nested()]));
lab_tell(fn () => $ours->exec());
lab_tell(fn () => $ours->exec());
lab_show('mode', $ours->getMode());
lab_show('keys set', $ours->exists('{t}c'));

echo "packing that throws a TypeError half-way\n";
final class Wrong
{
    public function __serialize(): array
    {
        return strlen([]);
    }
}
foreach ([fn () => $ours->multi(), fn () => $ours->pipeline()] as $begin) {
    $begin()->set('{t}c', 1);
    lab_tell(fn () => $ours->set('{t}c', [1, new Wrong()]));
    lab_tell(fn () => $ours->exec());
    lab_show('keys set', $ours->exists('{t}c'));
}
$ours->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);

echo "messages name keys with their prefix\n";
$ours->setOption(Redis::OPT_PREFIX, 'test:');
$topology = new OneHop\Topology('alpha', $config);
$home = $topology->locate('test:a')->name;
for ($i = 0; $topology->locate("test:$i")->name === $home; $i++);
$ours->multi()->set('a', 1);
lab_tell(fn () => $ours->set("$i", 1));
$ours->discard();
$ours->multi()->del('a');
lab_tell(fn () => $ours->del(["$i"]));
$ours->discard();
lab_tell(fn () => $ours->sInter('a', "$i"));

echo "the advice: keys with a common tag need hash_tag, and no tag is suggested twice\n";
$config = lab_config($ports);
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
the original: what a server answers
+OK +QUEUED -ERR +QUEUED -EXECABORT :0 
CrossNode; CrossNode, discarded; CrossNode, discarded; 0; false; [false]
CrossNode; CrossNode, discarded; CrossNode, discarded; 0; false; [false]
Unsupported; Unsupported, discarded; Unsupported, discarded; 0; false; [false]
Unsupported; Unsupported, discarded; Unsupported, discarded; 0; false; [false]
Unsupported; Unsupported, discarded; Unsupported, discarded; 0; false; [false]
CrossNode; CrossNode, discarded; CrossNode, discarded; 0; false; [false]
Unsupported; Unsupported, discarded; Unsupported, discarded; 0; false; [false]
a discarded transaction that is left open executes nothing later
OneHop\CrossNode, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: The transaction is bound to node node-0 by key "key:0", but key "key:100" belongs to node node-1, server pool alpha: the command was not sent; call discard(), then start again; give its keys a common hash tag, so that they share a node
the next transaction runs: true
GET of the key of the discarded transaction: false
discard: true
GET of the key of that transaction: false
mode: 0
arguments that were never accepted
pipeline: as with phpredis, 10 errors
transaction: as with phpredis, 10 errors
transaction in a pipeline: as with phpredis, 10 errors
refused while a value is packed
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::set() cannot be used in a transaction: the command was not sent; the script's own code ended it while a value was being serialized
OneHop\Unsupported, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: OneHop\Redis::dbSize() cannot be used in a transaction, server pool alpha: the command was not sent; it goes to every node; call it before multi() or after exec()
OneHop\Unsupported, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: OneHop\Redis::dbSize() cannot be used in a transaction, server pool alpha: the command was not sent; call discard(), then start again; it goes to every node; call it before multi() or after exec()
OneHop\Unsupported, node none, may have executed: false
  The transaction was discarded because one of its calls was refused: OneHop\Redis::dbSize() cannot be used in a transaction, server pool alpha: the command was not sent; it goes to every node; call it before multi() or after exec()
OneHop\Unsupported, node none, may have executed: false
  A value in the batch could not be serialized or compressed: the command was not sent; see the exception that was thrown when it was queued
mode: 0
keys set: 0
packing that throws a TypeError half-way
TypeError: strlen(): Argument #1 ($string) must be of type string, array given
OneHop\Unsupported, node node-0, may have executed: false
  A value in the transaction could not be serialized or compressed, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; see the exception that was thrown when it was queued
keys set: 0
TypeError: strlen(): Argument #1 ($string) must be of type string, array given
OneHop\Unsupported, node none, may have executed: false
  A value in the batch could not be serialized or compressed: the command was not sent; see the exception that was thrown when it was queued
keys set: 0
messages name keys with their prefix
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to node node-0 by key "test:a", but key "test:10" belongs to node node-1, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
OneHop\CrossNode, node none, may have executed: false
  The transaction is bound to node node-0 by key "test:a", but key "test:10" belongs to node node-1, server pool alpha: the command was not sent; give its keys a common hash tag, so that they share a node
OneHop\CrossNode, node none, may have executed: false
  SINTER needs all its keys on one node: key "test:a" is on node node-0, key "test:10" on node node-1, server pool alpha: the command was not sent; give both keys the same hash tag, such as "{a}" and "{a}10" after the prefix
the advice: keys with a common tag need hash_tag, and no tag is suggested twice
set hash_tag: "{}" in the server pool and give both keys the same hash tag, such as "ONE" and "OTHER"
set hash_tag: "{}" in the server pool and give its keys a common hash tag, so that they share a node
