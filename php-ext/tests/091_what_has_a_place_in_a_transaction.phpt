--TEST--
Between multi() and exec() only commands of one node are taken; what is refused changes nothing
--FILE--
<?php
require __DIR__ . '/lab.inc';

$ports = [lab_redis(), lab_redis()];
$redis = new OneHop\Redis('alpha', lab_config($ports));
/** The client itself: queued. */
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
    'any node, too early' => fn () => $redis->echo('x'),
    'unwatch, too early' => fn () => $redis->unwatch(),
    'one key' => fn () => $redis->set('a', 1),
    'any node' => fn () => $redis->echo('x'),
    'unwatch' => fn () => $redis->unwatch(),
    'several keys' => fn () => $redis->mget(['a', 'a']),
    'options with keys' => fn () => $redis->sort('l'),
    'a subcommand' => fn () => $redis->object('encoding', 'a'),
    'a script' => fn () => $redis->eval('return {KEYS[1], ARGV[1]}', ['a', 1], 1),
    'the same by its name' => fn () => $redis->evalSha(sha1('return {KEYS[1], ARGV[1]}'), ['a', 2], 1),
    'a channel' => fn () => $redis->publish('a', 'x'),
    'words' => fn () => $redis->rawCommand('GET', 'a'),
    'words of a transaction' => fn () => [$told(fn () => $redis->rawCommand('EXEC')), $told(fn () => $redis->rawCommand('WATCH', 'a')), $told(fn () => $redis->rawCommand('MULTI'))],
    'all nodes' => fn () => [$told(fn () => $redis->ping()), $told(fn () => $redis->dbSize()), $told(fn () => $redis->flushAll()), $told(fn () => $redis->wait(0, 1))],
    'chosen nodes' => fn () => [$told(fn () => $redis->onEachNode('ping')), $told(fn () => $redis->onNode('node-0', 'ping'))],
    'a walk' => fn () => $redis->scan($nothing),
    'a subscription' => fn () => $redis->subscribe(['a'], fn () => 1),
    'a connection' => fn () => $redis->select(1),
    'options' => fn () => [$redis->getOption(Redis::OPT_PREFIX), $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP), $redis->_serialize('a')],
    'with the option' => fn () => [$told(fn () => $redis->set('a', [1])), $told(fn () => $redis->get('a'))],
];
$redis->multi();
foreach ($calls as $name => $call) {
    echo "$name: ", $told($call), "\n";
}
echo json_encode($redis->exec()), "\n";
foreach ($ports as $port) {
    $stats = lab_plain($port)->info('commandstats');
    echo implode(' ', array_intersect(['cmdstat_multi', 'cmdstat_exec', 'cmdstat_ping', 'cmdstat_dbsize', 'cmdstat_flushall'], array_keys($stats))), ".\n";
}
?>
--EXPECT--
any node, too early: Unsupported
unwatch, too early: Unsupported
one key: queued
any node: queued
unwatch: queued
several keys: queued
options with keys: queued
a subcommand: queued
a script: queued
the same by its name: queued
a channel: queued
words: queued
words of a transaction: ["Unsupported","Unsupported","Unsupported"]
all nodes: ["Unsupported","Unsupported","Unsupported","Unsupported"]
chosen nodes: ["Unsupported","Unsupported"]
a walk: Unsupported
a subscription: Unsupported
a connection: Unsupported
options: [null,true,"s:1:\"a\";"]
with the option: ["queued","queued"]
[true,"x",true,["1","1"],[],"int",["a","1"],["a","2"],0,"1",true,[1]]
cmdstat_multi cmdstat_exec.
.
