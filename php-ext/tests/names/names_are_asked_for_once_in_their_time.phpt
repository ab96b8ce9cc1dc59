--TEST--
Workers of a host share one DNS query per TTL and follow new addresses; numbers need no query
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$script = <<<'SCRIPT'
<?php
[, $lab, $zone] = $argv;
require $lab;

/* Two nodes of one port: of 127.0.0.1, and of 127.0.0.2 where nothing else is. */
function two_nodes(): int
{
    $port = lab_redis();
    lab_redis_at($port, '127.0.0.2');
    foreach (['127.0.0.1', '127.0.0.2'] as $host) {
        $plain = new Redis();
        $plain->connect($host, $port);
        $plain->set('k', "of $host");
    }
    return $port;
}

/* So that connections are made anew. */
function drop_connections(int $port): void
{
    foreach (['127.0.0.1', '127.0.0.2'] as $host) {
        $plain = new Redis();
        $plain->connect($host, $port);
        $plain->rawCommand('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    }
}

/* How often this name was asked for until now, a question that is repeated counting once. */
function asked(string $name): int
{
    preg_match_all("/ $name a (\\w+)\\n/", file_get_contents($GLOBALS['zone'] . '.asked'), $found);
    return count(array_unique($found[1]));
}

function get(string $server): string
{
    try {
        return var_export((new OneHop\Redis('alpha', lab_config(["$server:1 node"])))->get('k'), true);
    } catch (OneHop\Exception $e) {
        return $e->getMessage();
    }
}

$port = two_nodes();
$names = ['kept.test' => ['a' => ['127.0.0.1'], 'ttl' => 3600], 'moves.test' => ['a' => ['127.0.0.1'], 'ttl' => 0],
    'several.test' => ['a' => ['127.0.0.9', '127.0.0.1'], 'aaaa' => ['::1'], 'ttl' => 60],
    'alias.test' => ['alias' => 'target.test', 'a' => ['127.0.0.1'], 'ttl' => 1, 'address_ttl' => 3600]];
file_put_contents($zone, json_encode($names));

echo "-- four workers, each with connections of its own, and a name that is kept for a minute\n";
$page = '<?php $redis = new OneHop\Redis("alpha", $_GET["file"]); usleep(200000); echo $redis->get("k"), " by ", getmypid(), "\n";';
$fpm = lab_fpm(['onehop.pool_scope' => 'process'], 4);
$query = ['file' => lab_config(["kept.test:$port:1 node"])];
$answers = [$fpm($page, $query), ...$fpm($page, $query, 4), ...$fpm($page, $query, 4)];
echo 'answers: ', implode(', ', array_unique(preg_replace('/ by .*\n/', '', $answers))), '; several workers: ',
    var_export(count(array_unique($answers)) > 1, true), '; asked: ', asked('kept.test'), "\n";

echo "-- without memory that is shared a process keeps it for itself\n";
$kept = 'require $argv[1]; for ($i = 0; $i < 3; $i++) { $redis = new OneHop\Redis("alpha", $argv[2]); echo $redis->get("k"), "\n";'
    . ' $plain = lab_plain((int) $argv[3]); $plain->rawCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"); }';
echo lab_run("<?php $kept", [$lab, $query['file'], (string) $port], [], ['onehop.shared_memory' => '0']);
echo 'asked: ', asked('kept.test') - 1, "\n";

echo "-- a name that moves is followed by the next connection, though its time to live is 0\n";
echo get("moves.test:$port"), "\n";
$names['moves.test']['a'] = ['127.0.0.2'];
file_put_contents($zone, json_encode($names));
usleep(1200000);
drop_connections($port);
echo get("moves.test:$port"), ', asked: ', asked('moves.test'), "\n";

echo "-- an alias is kept no longer than its own time\n";
echo get("alias.test:$port"), "\n";
usleep(1200000);
drop_connections($port);
echo get("alias.test:$port"), ', asked: ', asked('alias.test'), "\n";

echo "-- several addresses: the next one is tried if one refuses\n";
echo get("several.test:$port"), ', asked: ', asked('several.test'), "\n";

echo "-- nobody is asked for what /etc/hosts has, for localhost (which it has not), nor for numbers\n";
$before = file_get_contents("$zone.asked");
foreach (['in-hosts.test', 'localhost', '127.0.0.1'] as $host) {
    echo get("$host:$port"), "\n";
}
echo file_get_contents("$zone.asked") === $before ? "nobody was asked\n" : "somebody was asked\n";

echo "-- a child asks for itself while a question of its parent goes on\n";
file_put_contents($zone, json_encode($names + ['late.test' => ['a' => ['127.0.0.1'], 'delay' => 0.5]]));
$redis = new OneHop\Redis('alpha', $file = lab_config(["late.test:$port:1 node"], ['timeout' => 50]));
try {
    $redis->get('k');
} catch (OneHop\DeadlineExceeded $e) {
    echo "too late\n";
}
$both = static function () use ($redis): string {
    for ($end = microtime(true) + 60; microtime(true) < $end; usleep(20000)) {
        try {
            return $redis->get('k');
        } catch (OneHop\Exception) {
        }
    }
    return 'never';
};
$child = pcntl_fork();
if ($child === 0) {
    file_put_contents(Lab::file('child'), $both());
    posix_kill(getmypid(), 9);
}
echo 'parent: ', $both(), "\n";
pcntl_waitpid($child, $status);
echo 'child: ', file_get_contents(Lab::file('child')), "\n";
SCRIPT;
$zone = Lab::file('zone.json');
echo lab_run($script, [__DIR__ . '/../lab/lab.inc', $zone], ['unshare', '-m', '-n', '--', 'python3',
    __DIR__ . '/../../../conformance/lab/dns.py', $zone, '127.0.0.1 in-hosts.test', '--']);
?>
--EXPECT--
-- four workers, each with connections of its own, and a name that is kept for a minute
answers: of 127.0.0.1; several workers: true; asked: 1
-- without memory that is shared a process keeps it for itself
of 127.0.0.1
of 127.0.0.1
of 127.0.0.1
asked: 1
-- a name that moves is followed by the next connection, though its time to live is 0
'of 127.0.0.1'
'of 127.0.0.2', asked: 2
-- an alias is kept no longer than its own time
'of 127.0.0.1'
'of 127.0.0.1', asked: 2
-- several addresses: the next one is tried if one refuses
'of 127.0.0.1', asked: 1
-- nobody is asked for what /etc/hosts has, for localhost (which it has not), nor for numbers
'of 127.0.0.1'
'of 127.0.0.1'
'of 127.0.0.1'
nobody was asked
-- a child asks for itself while a question of its parent goes on
too late
parent: of 127.0.0.1
child: of 127.0.0.1
