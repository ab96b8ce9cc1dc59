--TEST--
A transaction left without exec() executes nothing and disturbs no other client
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_redis();
$config = lab_config([$port]);
$plain = lab_plain($port);

echo "ends of scripts\n";
$begin = '<?php $redis = new OneHop\Redis("alpha", $argv[1]); ';
foreach ([
    'exit in the middle' => '$redis->multi()->set("a", 1); exit(0);',
    'exit while watching' => '$redis->watch("a"); exit(0);',
    'the end of the script' => '$redis->watch("a"); $redis->multi()->set("a", 1);',
    'an exception' => '$redis->multi()->set("a", 1); throw new Exception("uncaught");',
    'a fatal error' => '$redis->multi()->set("a", 1); nothing();',
    'no memory' => '$redis->multi()->set("a", 1); $a = str_repeat("x", 1 << 40);',
    'held by a static' => '
        final class Keeper {
            public static $held;
        }
        Keeper::$held = $redis;
        $redis->multi()->set("a", 1);',
    'a cycle' => '
        $box = new stdClass;
        $box->redis = $redis;
        $box->box = $box;
        $redis->multi()->set("a", 1);
        unset($box, $redis);
        gc_collect_cycles();
        echo "collected";',
    'exit while a value is packed' => '
        final class P {
            function __serialize(): array {
                exit(0);
            }
        }
        $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);'
        . ' $redis->multi()->set("a", 1)->set("a", ["x", new P]);',
    'exit while a value is unpacked' => '
        final class P {
            function __serialize(): array {
                return [];
            }
            function __unserialize(array $d): void {
                exit(0);
            }
        }'
        . '
            $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
            $redis->set("p", new P);
            $redis->multi()->get("p")->get("p")->exec();
            echo "not reached";',
] as $name => $script) {
    $output = lab_run($begin . $script, [$config]);
    echo "$name: ", preg_match('~Fatal|Out of memory~', $output) ? 'fatal' : $output, ' ',
        json_encode($plain->get('a')), "\n";
}
$left = 0;
foreach ($plain->client('list') as $client) {
    $left += $client['multi'] !== '-1' && $client['multi'] !== -1;
}
lab_show('connections left in a transaction', $left);
lab_show(
    'DISCARDs that the node received',
    $plain->info('commandstats')['cmdstat_discard'] ?? 'no DISCARD',
);

echo "one worker, many requests\n";
$ask = lab_fpm(['memory_limit' => '32M']);
$page = '<?php $redis = new OneHop\Redis("alpha", $_GET["config"]); ';
$next = '
    $transaction = [$redis->getMode(), $redis->get("b"), $redis->incr("n")];
    echo "the next: ", json_encode([...$transaction, $redis->multi()->get("b")->exec()]);';
foreach ([
    '$redis->multi()->set("b", "leaked"); exit;',
    '$redis->watch("b"); $redis->multi()->set("b", "leaked");',
    '$redis->watch("b");',
    '$redis->multi()->set("b", "leaked"); for ($a = "x";; $a .= $a);',
    '$redis->multi()->set("b", "leaked"); throw new Exception();',
    'final class K { public static $k; } K::$k = $redis; $redis->multi()->set("b", "leaked");',
] as $leave) {
    $ask($page . $leave, ['config' => $config]);
    echo $ask($page . $next, ['config' => $config]), "\n";
}

echo "values that are packed\n";
final class Odd
{
    public static $call;
    public function __construct(public string $name = '')
    {
    }
    public function __serialize(): array
    {
        (self::$call)($this->name);
        return [$this->name];
    }
    public function __unserialize(array $data): void
    {
        (self::$call)($data[0]);
    }
}
$redis = new OneHop\Redis('alpha', $config);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
Odd::$call = fn () => throw new DomainException('cannot be packed');
$redis->multi()->set('c', 1);
lab_tell(fn () => $redis->set('c', ['x', new Odd()]));
lab_tell(fn () => $redis->set('c', 2));
lab_tell(fn () => $redis->exec());
lab_show('GET of the key of that transaction', $redis->get('c'));
Odd::$call = fn ($name) => $redis->incr("inner$name");
$replies = $redis->multi()->set('c', ['x', new Odd('1')])->get('inner1')->exec();
lab_show('replies, including that of the INCR while a value was packed', count($replies));
lab_show('the counter of that INCR', $redis->get('inner1'));
Odd::$call = fn () => $redis->discard();
$redis->multi();
lab_tell(fn () => $redis->set('d', ['x', new Odd()]));
lab_show('mode after discard() during packing', $redis->getMode());
lab_show('keys set', $redis->exists('d'));
Odd::$call = fn () => $redis->close();
$redis->multi()->set('d', 1);
lab_tell(fn () => $redis->set('d', ['x', new Odd()]));
lab_show('mode after close() during packing', $redis->getMode());
lab_show('keys set', $redis->exists('d'));
Odd::$call = fn () => null;
$redis->set('odd', new Odd('odd'));
Odd::$call = function () use ($redis) {
    echo 'inside exec(): mode ', $redis->getMode(), ', ',
        implode(' ', $redis->multi()->incr('e')->incr('e')->exec()), "\n";
};
$replies = $redis->multi()->get('odd')->get('odd')->exec();
lab_show('replies of the outer transaction', count($replies));
Odd::$call = fn () => throw new DomainException('cannot be unpacked');
lab_tell(fn () => $redis->multi()->get('odd')->exec());
lab_show('the next transaction', $redis->multi()->incr('f')->exec());

echo "a fork\n";
$redis = new OneHop\Redis('alpha', $config);
$redis->watch('g');
$redis->multi()->set('g', 'parent');
$child = pcntl_fork();
if ($child === 0) {
    $seen = '';
    try {
        $redis->set('g', 'child');
    } catch (OneHop\NodeDown $e) {
        $seen = preg_replace('/,.*/', '', $e->getMessage());
    }
    $seen .= json_encode($redis->multi()->incr('h')->exec());
    $redis->multi()->incr('h');
    unset($redis);
    posix_kill(
        posix_getpid(),
        $seen === 'The connection belongs to another process[1]' ? SIGKILL : SIGTERM,
    );
}
pcntl_waitpid($child, $status);
lab_show(
    'the child was refused, then had a transaction of its own',
    pcntl_wtermsig($status) === SIGKILL,
);
lab_show('the parent ends its transaction', $redis->set('h2', 'parent')->exec());
lab_show('what the parent has set', $redis->get('g'));
lab_show('counter of the child; its open transaction never ran', $redis->get('h'));
?>
--EXPECT--
ends of scripts
exit in the middle:  false
exit while watching:  false
the end of the script:  false
an exception: fatal false
a fatal error: fatal false
no memory: fatal false
held by a static:  false
a cycle: collected false
exit while a value is packed:  false
exit while a value is unpacked:  false
connections left in a transaction: 0
DISCARDs that the node received: "no DISCARD"
one worker, many requests
the next: [0,false,1,[false]]
the next: [0,false,2,[false]]
the next: [0,false,3,[false]]
the next: [0,false,4,[false]]
the next: [0,false,5,[false]]
the next: [0,false,6,[false]]
values that are packed
DomainException: cannot be packed
OneHop\Unsupported, node node-0, may have executed: false
  A value in the transaction could not be serialized or compressed, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; call discard(), then start again; see the exception that was thrown when it was queued
OneHop\Unsupported, node node-0, may have executed: false
  A value in the transaction could not be serialized or compressed, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; see the exception that was thrown when it was queued
GET of the key of that transaction: false
replies, including that of the INCR while a value was packed: 3
the counter of that INCR: "1"
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::set() cannot be used in a transaction: the command was not sent; the script's own code ended it while a value was being serialized
mode after discard() during packing: 0
keys set: 0
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::set() cannot be used in a transaction: the command was not sent; the script's own code ended it while a value was being serialized
mode after close() during packing: 0
keys set: 0
inside exec(): mode 0, 1 2
inside exec(): mode 0, 3 4
replies of the outer transaction: 2
DomainException: cannot be unpacked
the next transaction: [1]
a fork
the child was refused, then had a transaction of its own: true
the parent ends its transaction: [true,true]
what the parent has set: "parent"
counter of the child; its open transaction never ran: "1"
