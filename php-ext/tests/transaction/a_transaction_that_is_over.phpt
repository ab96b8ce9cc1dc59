--TEST--
A transaction that its node has ended is over; a refused one waits for its end, and says which
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

[$port, $id] = lab_redis_process();
$loading = lab_node('
    for words in commands():
        reply(test.answer if words[0] == "MULTI" else "+OK")');
$config = lab_config(
    [lab_redis(), $port, $loading],
    ['hash_tag' => '"{}"', 'server_failure_limit' => 1000],
);
['node-0' => $live, 'node-1' => $dies, 'node-2' => $loads] = lab_key_of_each($config);
$redis = new OneHop\Redis('alpha', $config);
$redis->set($live, 'served');

/** Prints how a call and the next one, to the live node, ended; and the mode after each. */
function tell(string $what, callable $call): void
{
    global $redis, $live;
    $ends = [];
    foreach ([$call, fn () => $redis->get($live)] as $each) {
        try {
            $value = $each();
            $ends[] = is_object($value) ? 'queued' : json_encode($value);
        } catch (OneHop\Exception $e) {
            $ends[] = $e->getKind() . ($e->mayHaveExecuted() ? '?' : '')
                . (str_contains($e->getMessage(), 'discard()') ? ', call discard()' : '');
        }
        $ends[] = 'mode ' . $redis->getMode();
    }
    echo "$what: ", implode('; ', $ends), "\n";
}
$refused = fn () => $redis->multi()->set($live, 1)->set($dies, 2);
$piped = function () use ($redis, $live, $dies) {
    $redis->pipeline()->set($live, 'not wanted')->multi()->set($live, 1);
    $redis->set($dies, 2);
};

echo "-- refused\n";
tell('it waits', $refused);
tell('exec() says why', fn () => $redis->exec());
foreach ([
    'discard()' => fn () => $redis->discard(),
    'multi()' => fn () => $redis->multi()->get($live)->exec(),
    'pipeline()' => fn () => $redis->pipeline()->get($live)->exec(),
    'multi(PIPELINE)' => fn () => $redis->multi(Redis::PIPELINE)->get($live)->exec(),
    'watch()' => fn () => $redis->watch($live) && $redis->unwatch(),
] as $name => $end) {
    tell("$name of another key, before it", $refused);
    tell($name, $end);
}
echo "-- refused in a pipeline\n";
tell('it waits', $piped);
tell('a new pipeline()', fn () => $redis->pipeline()->get($live)->exec());
tell('it waits', $piped);
tell('discard()', fn () => $redis->discard());

echo "-- a value that cannot be packed\n";
final class Unfit
{
    public function __serialize(): array
    {
        throw new DomainException();
    }
}
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
foreach (['multi', 'pipeline'] as $mode) {
    $redis->$mode();
    try {
        $redis->set($live, [1, new Unfit()]);
    } catch (DomainException $e) {
        echo get_class($e), "\n";
    }
    tell('a new pipeline()', fn () => $redis->pipeline()->exists($live)->exec());
}
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
$redis->set($live, 'served');

echo "-- the node refuses MULTI\n";
foreach (['LOADING data', 'BUSY with a script', 'NOPERM no right', 'ERR none'] as $answer) {
    lab_change($loading, answer: "-$answer");
    tell($answer, fn () => $redis->multi()->set($loads, 1)->exec());
    tell("$answer, in a pipeline", fn () => $redis->pipeline()->multi()->set($loads, 1)->exec()
        ->exec());
}
lab_change($loading, answer: '+OK');

echo "-- the node is lost\n";
$redis->set($dies, 'before');
Lab::stop($id);
tell('in a transaction', fn () => $redis->multi()->set($dies, 1)->exec());
tell('exec() afterwards', fn () => $redis->exec() ?: null);
tell('in a transaction in a pipeline', fn () => $redis->pipeline()->multi()->set($dies, 1)->exec()
    ->exec());
tell('WATCH', fn () => $redis->watch($dies));
try {
    $redis->subscribe([$dies], fn () => null);
} catch (OneHop\NodeDown) {
    tell('a subscription', fn () => 'over');
}
lab_redis_at($port);
$end = microtime(true) + 30;
do {
    try {
        $isBack = $redis->set($dies, 'back');
    } catch (OneHop\NodeDown) {
        usleep(10000);
    }
} while (!isset($isBack) && microtime(true) < $end);
tell('when it is back', fn () => $redis->multi()->get($dies)->exec());

echo "-- lost while it is watched\n";
$plain = lab_plain($port);
$redis->watch($dies);
$plain->rawCommand('CLIENT', 'KILL', 'TYPE', 'normal');
tell('MULTI', fn () => $redis->multi()->set($dies, 'never')->exec());
tell('the next one', fn () => $redis->multi()->get($dies)->exec());
?>
--EXPECT--
-- refused
it waits: CrossNode; mode 1; CrossNode, call discard(); mode 1
exec() says why: CrossNode; mode 0; "served"; mode 0
discard() of another key, before it: CrossNode; mode 1; CrossNode, call discard(); mode 1
discard(): true; mode 0; "served"; mode 0
multi() of another key, before it: CrossNode; mode 1; CrossNode, call discard(); mode 1
multi(): ["served"]; mode 0; "served"; mode 0
pipeline() of another key, before it: CrossNode; mode 1; CrossNode, call discard(); mode 1
pipeline(): ["served"]; mode 0; "served"; mode 0
multi(PIPELINE) of another key, before it: CrossNode; mode 1; CrossNode, call discard(); mode 1
multi(PIPELINE): ["served"]; mode 0; "served"; mode 0
watch() of another key, before it: CrossNode; mode 1; CrossNode, call discard(); mode 1
watch(): true; mode 0; "served"; mode 0
-- refused in a pipeline
it waits: CrossNode; mode 2; CrossNode, call discard(); mode 2
a new pipeline(): ["served"]; mode 0; "served"; mode 0
it waits: CrossNode; mode 2; CrossNode, call discard(); mode 2
discard(): true; mode 0; "served"; mode 0
-- a value that cannot be packed
DomainException
a new pipeline(): [1]; mode 0; "served"; mode 0
DomainException
a new pipeline(): [1]; mode 0; "served"; mode 0
-- the node refuses MULTI
LOADING data: NodeDown; mode 0; "served"; mode 0
LOADING data, in a pipeline: NodeDown?; mode 0; "served"; mode 0
BUSY with a script: NodeDown; mode 0; "served"; mode 0
BUSY with a script, in a pipeline: NodeDown?; mode 0; "served"; mode 0
NOPERM no right: Unsupported; mode 0; "served"; mode 0
NOPERM no right, in a pipeline: Unsupported?; mode 0; "served"; mode 0
ERR none: Unsupported; mode 0; "served"; mode 0
ERR none, in a pipeline: Unsupported?; mode 0; "served"; mode 0
-- the node is lost
in a transaction: NodeDown; mode 0; "served"; mode 0
exec() afterwards: null; mode 0; "served"; mode 0
in a transaction in a pipeline: NodeDown; mode 0; "served"; mode 0
WATCH: NodeDown; mode 0; "served"; mode 0
a subscription: "over"; mode 0; "served"; mode 0
when it is back: ["back"]; mode 0; "served"; mode 0
-- lost while it is watched
MULTI: NodeDown; mode 0; "served"; mode 0
the next one: ["back"]; mode 0; "served"; mode 0
