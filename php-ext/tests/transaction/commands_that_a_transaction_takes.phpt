--TEST--
Between multi() and exec() only commands of one node are taken; a refusal discards the queue
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis()];
$redis = new OneHop\Redis('alpha', lab_config($ports));
/** The outcome of a call; "queued" if it returns the client itself. */
$told = function (callable $call) use ($redis): string {
    try {
        $value = $call();
        return $value === $redis ? 'queued' : json_encode($value);
    } catch (OneHop\Exception $e) {
        return $e->getKind() . ($e->mayHaveExecuted() ? ' and may have executed' : '');
    }
};
$nothing = null;
$calls = [
    'one key' => fn () => $redis->set('a', 1),
    'any node' => fn () => $redis->echo('x'),
    'unwatch' => fn () => $redis->unwatch(),
    'several keys' => fn () => $redis->mget(['a', 'a']),
    'options with keys' => fn () => $redis->sort('l'),
    'a subcommand' => fn () => $redis->object('encoding', 'a'),
    'a script' => fn () => $redis->eval('return {KEYS[1], ARGV[1]}', ['a', 1], 1),
    'the same method by its name' => fn ()
        => $redis->evalSha(sha1('return {KEYS[1], ARGV[1]}'), ['a', 2], 1),
    'a channel' => fn () => $redis->publish('a', 'x'),
    'words' => fn () => $redis->rawCommand('GET', 'a'),
    'options' => fn () => [
        $redis->getOption(Redis::OPT_PREFIX),
        $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP),
        $redis->_serialize('a'),
    ],
    'with the option' => fn ()
        => [$told(fn () => $redis->set('a', [1])), $told(fn () => $redis->get('a'))],
];
$refused = [
    'any node, too early' => fn ($redis) => $redis->discard() && $redis->multi()->echo('x'),
    'unwatch, too early' => fn ($redis) => $redis->discard() && $redis->multi()->unwatch(),
    'EXEC' => fn ($redis) => $redis->rawCommand('EXEC'),
    'WATCH' => fn ($redis) => $redis->rawCommand('WATCH', 'a'),
    'MULTI' => fn ($redis) => $redis->rawCommand('MULTI'),
    'ping' => fn ($redis) => $redis->ping(),
    'dbSize' => fn ($redis) => $redis->dbSize(),
    'flushAll' => fn ($redis) => $redis->flushAll(),
    'wait' => fn ($redis) => $redis->wait(0, 1),
    'onEachNode' => fn ($redis) => $redis->onEachNode('ping'),
    'onNode' => fn ($redis) => $redis->onNode('node-0', 'ping'),
    'scan' => fn ($redis) => $redis->scan($nothing),
    'subscribe' => fn ($redis) => $redis->subscribe(['a'], fn () => 1),
    'select' => fn ($redis) => $redis->select(1),
];
$redis->multi();
foreach ($calls as $name => $call) {
    echo "$name: ", $told($call), "\n";
}
lab_show('EXEC', $redis->exec());
foreach ($refused as $name => $call) {
    $redis->multi()->set('a', 'never');
    echo "$name: ", $told(fn () => $call($redis)), ', exec: ', $told(fn () => $redis->exec()), "\n";
}
lab_show('GET', $redis->get('a'));
foreach ($ports as $port) {
    $stats = lab_plain($port)->info('commandstats');
    echo implode(' ', array_intersect(
        ['cmdstat_multi', 'cmdstat_exec', 'cmdstat_ping', 'cmdstat_dbsize', 'cmdstat_flushall'],
        array_keys($stats),
    )), ".\n";
}
?>
--EXPECT--
one key: queued
any node: queued
unwatch: queued
several keys: queued
options with keys: queued
a subcommand: queued
a script: queued
the same method by its name: queued
a channel: queued
words: queued
options: [null,true,"s:1:\"a\";"]
with the option: ["queued","queued"]
EXEC: [true,"x",true,["1","1"],[],"int",["a","1"],["a","2"],0,"1",true,[1]]
any node, too early: Unsupported, exec: Unsupported
unwatch, too early: Unsupported, exec: Unsupported
EXEC: Unsupported, exec: Unsupported
WATCH: Unsupported, exec: Unsupported
MULTI: Unsupported, exec: Unsupported
ping: Unsupported, exec: Unsupported
dbSize: Unsupported, exec: Unsupported
flushAll: Unsupported, exec: Unsupported
wait: Unsupported, exec: Unsupported
onEachNode: Unsupported, exec: Unsupported
onNode: Unsupported, exec: Unsupported
scan: Unsupported, exec: Unsupported
subscribe: Unsupported, exec: Unsupported
select: Unsupported, exec: Unsupported
GET: [1]
cmdstat_multi cmdstat_exec.
.
