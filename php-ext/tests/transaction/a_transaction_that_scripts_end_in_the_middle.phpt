--TEST--
Script code may begin or end a transaction while watch() reads a key or MULTI runs into its deadline
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

[$port, $id] = lab_redis_process();
$redis = new OneHop\Redis('alpha', lab_config([$port], ['timeout' => 4000]));
$redis->set('a', 'before');

final class Key
{
    public function __construct(private Closure $code)
    {
    }

    public function __toString(): string
    {
        ($this->code)();
        return 'a';
    }
}

echo "-- a key of watch() begins a transaction or a pipeline\n";
lab_tell(fn () => $redis->watch(new Key(fn () => $redis->multi())));
lab_show('mode', $redis->getMode());
lab_show('DISCARD', $redis->discard());
lab_tell(fn () => $redis->watch(new Key(fn () => $redis->pipeline())));
lab_show('the pipeline', $redis->get('a')->exec());
lab_show('WATCH', $redis->watch(new Key(fn () => $redis->get('a'))));
lab_show('UNWATCH', $redis->unwatch());

/* Signal handlers run at the end of a call, which here is its deadline. */
pcntl_async_signals(true);
$endings = [
    'discard()' => fn () => $redis->discard(),
    'discard() and multi()' => fn () => $redis->discard() && $redis->multi(),
    'close()' => fn () => $redis->close(),
    'exec()' => fn () => $redis->exec(),
];
foreach ($endings as $name => $ending) {
    echo "-- a signal handler calls $name, while MULTI is late\n";
    pcntl_signal(SIGALRM, function () use ($id, $ending) {
        Lab::signal($id, SIGCONT);
        $ending();
    });
    $redis->multi();
    Lab::signal($id, SIGSTOP);
    pcntl_alarm(1);
    lab_show('SET', $redis->set('a', 'after') === $redis);
    $redis->getMode() && $redis->discard();
    lab_show('GET', $redis->get('a'));
    lab_show('the next transaction', $redis->multi()->get('a')->exec());
}
?>
--EXPECT--
-- a key of watch() begins a transaction or a pipeline
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::watch() cannot be used in a transaction: the command was not sent; call it before multi()
mode: 1
DISCARD: true
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::watch() cannot be used in a pipeline: the command was not sent; call exec() or discard() first
the pipeline: ["before"]
WATCH: true
UNWATCH: true
-- a signal handler calls discard(), while MULTI is late
SET: false
GET: "before"
the next transaction: ["before"]
-- a signal handler calls discard() and multi(), while MULTI is late
SET: false
GET: "before"
the next transaction: ["before"]
-- a signal handler calls close(), while MULTI is late
SET: false
GET: "before"
the next transaction: ["before"]
-- a signal handler calls exec(), while MULTI is late
SET: false
GET: "before"
the next transaction: ["before"]
