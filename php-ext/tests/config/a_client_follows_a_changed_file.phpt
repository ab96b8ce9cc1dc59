--TEST--
A worker follows its files through 30 changes; pipelines and other open calls end as they began
--DESCRIPTION--
Not beneath valgrind: it races with the look at the file, once a second.
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const FILES = 10; /* A client looks at each file separately, so ten changes take a second. */
const ROUNDS = 3;
const KEYS = 20;

$ports = [lab_redis(), lab_redis(), lab_redis()];
$nodes = array_map(lab_plain(...), $ports);
$log = Lab::file('worker.log');
ini_set('error_log', $log);

/** A version of a file: some of the nodes, in the order in which they are named. */
$write = static fn (int $file, int $round, array $more = []) => lab_config(
    $round % 3 === 2 ? $ports : [$ports[($file + $round) % 3], $ports[($file + $round + 1) % 3]],
    $more,
    "file$file.yml",
);
$clients = [];
for ($file = 0; $file < FILES; $file++) {
    $clients[] = new OneHop\Redis('alpha', $write($file, 0));
    end($clients)->setOption(Redis::OPT_PREFIX, "$file:");
}

/** True if the client writes keys to the same nodes as a topology that is made from the file. */
$follows = static function (int $file, int $round) use ($clients, $nodes, $ports): bool {
    $text = yaml($file);
    foreach (range(1, KEYS) as $i) {
        $key = md5((string) $i); /* Similar keys have similar hashes, so all of them might stay. */
        $clients[$file]->set($key, "$file:$round:$i");
        $port = $text->locate("$file:$key")->port;
        if ($nodes[array_search($port, $ports, true)]->get("$file:$key") !== "$file:$round:$i") {
            return false;
        }
    }
    return true;
};
/** This topology is made from the text, so only the client reads the file itself. */
function yaml(int $file): OneHop\Topology
{
    return OneHop\Topology::fromText(
        'alpha',
        file_get_contents(Lab::file("file$file.yml")),
    );
}

$late = $wrong = 0;
$descriptors = $memory = 0;
for ($round = 0; $round <= ROUNDS; $round++) {
    $begin = microtime(true);
    for ($file = 0; $file < FILES; $file++) {
        $write($file, $round);
    }
    for ($file = 0; $file < FILES; $file++) {
        while (!$follows($file, $round) && microtime(true) < $begin + 30) {
            usleep(20000);
        }
        $late += microtime(true) - $begin > 30;
        $wrong += !$follows($file, $round);
    }
    if ($round === 0) {
        $descriptors = count(scandir('/proc/self/fd'));
        $memory = memory_get_usage();
    }
}
lab_show('late, wrong', [$late, $wrong]);
lab_show('descriptors', count(scandir('/proc/self/fd')) - $descriptors <= FILES);
lab_show('memory', memory_get_usage() - $memory < 200000);
lab_show('changes in the log', preg_match_all(
    '/OneHop: .*file\d\.yml changed: \d+\.\d % of the keys of server pool alpha move \(generation/',
    file_get_contents($log),
));

echo "open pipelines and other calls end where they began\n";
$redis = $clients[0];
foreach (['pipeline', 'transaction', 'WATCH'] as $kind) {
    foreach ($nodes as $node) {
        $node->flushAll();
    }
    $write(0, 0);
    usleep(1150000);
    $redis->exists('a');
    $old = yaml(0)->locate('0:a')->port;
    if ($kind === 'WATCH') {
        $redis->watch('a');
    } else {
        $kind === 'pipeline' ? $redis->pipeline() : $redis->multi();
        $redis->set('a', '1');
    }
    lab_config([$ports[2]], [], 'file0.yml');
    usleep(1150000);
    if ($kind === 'WATCH') {
        $redis->multi();
        $redis->set('a', '1');
    }
    lab_show($kind, $redis->exec());
    lab_show('  there', (bool) $nodes[array_search($old, $ports, true)]->exists('0:a'));
    $redis->set('a', '2');
    lab_show('  then', (bool) $nodes[2]->exists('0:a'));
}

$write(0, 0);
usleep(1150000);
$redis->exists('a');
$old = yaml(0)->locate('0:news')->port;
Lab::start([PHP_BINARY, ...lab_php_arguments(), '-r', '
    foreach (json_decode($argv[1]) as $what => $port) {
        ($nodes[$what] = new Redis())->connect("127.0.0.1", $port);
    }
    for (;; usleep(20000)) {
        array_walk($nodes, fn ($node, $what) => $node->publish("0:news", "$what node"));
    }', '--', json_encode(['old' => $old, 'new' => $ports[2]])]);
final class Enough extends Exception
{
}
$heard = [];
$end = INF;
try {
    $redis->subscribe(['news'], static function ($self, $channel, $text) use (
        $ports,
        &$heard,
        &$end,
    ): void {
        if (!$heard) {
            lab_config([$ports[2]], [], 'file0.yml');
            usleep(1150000);
            lab_show('subscription, a client that begins now', (new OneHop\Redis(
                'alpha',
                Lab::file('file0.yml'),
            ))->onEachNode('publish', '0:news', 'new client'));
            $end = microtime(true) + 1.2;
        }
        $heard[$text] = ($heard[$text] ?? 0) + 1;
        if (microtime(true) > $end && $heard['old node'] > 20 || microtime(true) > $end + 30) {
            throw new Enough();
        }
    });
} catch (Enough) {
}
lab_show('  heard', array_keys($heard));
lab_show('  for long', $heard['old node'] > 20);
$nodes[2]->del('0:a');
$redis->set('a', '2');
lab_show('  then', (bool) $nodes[2]->exists('0:a'));

echo "a bad file is a line in the log, not an exception of the call\n";
set_error_handler(static function (int $level, string $message) {
    throw new ErrorException($message);
});
file_put_contents(Lab::file('file0.yml'), 'rubbish');
usleep(1150000);
lab_show('get', $redis->get('a'));
usleep(1150000);
lab_show('get', $redis->get('a'));
lab_show('lines', substr_count(
    file_get_contents($log),
    'is not a mapping of server pools; the configuration read before stays in use',
));

echo "directives\n";
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
lab_config([$ports[0]], ['timeout' => 30700], 'file0.yml');
usleep(1150000);
$redis->set('b', [1, 2]);
lab_show('timeout', $redis->getTimeout());
lab_show('the options stay', [$redis->get('b'), $nodes[0]->get('0:b')]);
lab_config([$ports[0]], ['redis' => 'false'], 'file0.yml');
usleep(1150000);
lab_show('a pool that is memcached by now', $redis->get('b'));

echo "a call that waits in a fiber\n";
final class Pause
{
    public function __unserialize(array $data): void
    {
        Fiber::suspend();
    }
    public function __serialize(): array
    {
        return [];
    }
}
lab_config([$ports[0]], [], 'file0.yml');
$nodes[0]->set('0:c', serialize(new Pause()));
$nodes[1]->set('0:d', serialize('new'));
$nodes[0]->set('0:d', serialize('old'));
usleep(1150000);
lab_show('before', $redis->get('d'));
$fiber = new Fiber(static fn () => $redis->get('c'));
$fiber->start();
lab_config([$ports[1]], [], 'file0.yml');
usleep(1150000);
lab_show('meanwhile', $redis->get('d'));
$fiber->resume();
lab_show('it ends', $fiber->getReturn() instanceof Pause);
usleep(150000);
lab_show('after', $redis->get('d'));
?>
--EXPECT--
late, wrong: [0,0]
descriptors: true
memory: true
changes in the log: 30
open pipelines and other calls end where they began
pipeline: [true]
  there: true
  then: true
transaction: [true]
  there: true
  then: true
WATCH: [true]
  there: true
  then: true
subscription, a client that begins now: {"node-0":0}
  heard: ["old node"]
  for long: true
  then: true
a bad file is a line in the log, not an exception of the call
get: "2"
get: "2"
lines: 1
directives
timeout: 30.7
the options stay: [[1,2],"a:2:{i:0;i:1;i:1;i:2;}"]
a pool that is memcached by now: [1,2]
a call that waits in a fiber
before: "old"
meanwhile: "old"
it ends: true
after: "new"
