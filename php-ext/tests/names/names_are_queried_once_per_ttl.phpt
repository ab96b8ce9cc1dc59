--TEST--
Workers of a host share one DNS query per TTL and follow new addresses; numeric addresses need none
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$script = <<<'SCRIPT'
<?php
[, $lab, $zone] = $argv;
require $lab;

/* Two nodes at the same port of 127.0.0.1 and 127.0.0.2, which nothing else uses. */
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

/* Makes the clients connect again. */
function drop_connections(int $port): void
{
    foreach (['127.0.0.1', '127.0.0.2'] as $host) {
        $plain = new Redis();
        $plain->connect($host, $port);
        $plain->rawCommand('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    }
}

/* How many queries for this name there were until now. A repeated query counts once. */
function asked(string $name): int
{
    preg_match_all("/ $name a (\\w+)\\n/", file_get_contents($GLOBALS['zone'] . '.asked'), $found);
    return count(array_unique($found[1]));
}

function get(string $server): string
{
    try {
        $redis = new OneHop\Redis('alpha', lab_config(["$server:1 node"]));
        return var_export($redis->get('k'), true);
    } catch (OneHop\Exception $e) {
        return $e->getMessage();
    }
}

$port = two_nodes();
$names = [
    'kept.test' => ['a' => ['127.0.0.1'], 'ttl' => 3600],
    'moves.test' => ['a' => ['127.0.0.1'], 'ttl' => 0],
    'several.test' => ['a' => ['127.0.0.9', '127.0.0.1'], 'aaaa' => ['::1'], 'ttl' => 60],
    'alias.test' => [
        'alias' => 'target.test', 'a' => ['127.0.0.1'], 'ttl' => 1, 'address_ttl' => 3600,
    ],
];
file_put_contents($zone, json_encode($names));

echo "-- four workers, each with connections of its own; the name is cached for a minute\n";
$page = '<?php
    $redis = new OneHop\Redis("alpha", $_GET["file"]);
    usleep(200000);
    echo $redis->get("k"), " by ", getmypid(), "\n";';
$fpm = lab_fpm(['onehop.pool_scope' => 'process'], 4);
$query = ['file' => lab_config(["kept.test:$port:1 node"])];
$answers = [$fpm($page, $query), ...$fpm($page, $query, 4), ...$fpm($page, $query, 4)];
echo 'answers: ', implode(', ', array_unique(preg_replace('/ by .*\n/', '', $answers))),
    '; several workers: ',
    var_export(count(array_unique($answers)) > 1, true), '; asked: ', asked('kept.test'), "\n";

echo "-- without shared memory a process caches the name for itself\n";
$kept = '
    require $argv[1];
    for ($i = 0; $i < 3; $i++) {
        $redis = new OneHop\Redis("alpha", $argv[2]);
        echo $redis->get("k"), "\n";
        $plain = lab_plain((int) $argv[3]);
        $plain->rawCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    }';
echo lab_run("<?php $kept", [$lab, $query['file'], (string) $port], [], [
    'onehop.shared_memory' => '0',
]);
echo 'asked: ', asked('kept.test') - 1, "\n";

echo "-- the next connection follows a name that moves, even if its TTL is 0\n";
echo get("moves.test:$port"), "\n";
$names['moves.test']['a'] = ['127.0.0.2'];
file_put_contents($zone, json_encode($names));
usleep(1200000);
drop_connections($port);
echo get("moves.test:$port"), ', asked: ', asked('moves.test'), "\n";

echo "-- an alias is cached no longer than its own TTL\n";
echo get("alias.test:$port"), "\n";
usleep(1200000);
drop_connections($port);
echo get("alias.test:$port"), ', asked: ', asked('alias.test'), "\n";

echo "-- several addresses: the next one is tried if one refuses\n";
echo get("several.test:$port"), ', asked: ', asked('several.test'), "\n";

echo "-- no query for names of /etc/hosts, for localhost (not in that file) and for numbers\n";
$before = file_get_contents("$zone.asked");
foreach (['in-hosts.test', 'localhost', '127.0.0.1'] as $host) {
    echo get("$host:$port"), "\n";
}
echo file_get_contents("$zone.asked") === $before ? "no query\n" : "a query\n";

echo "-- a child asks for itself while a query of its parent is in flight\n";
$names['late.test'] = ['a' => ['127.0.0.1'], 'delay' => 0.5];
file_put_contents($zone, json_encode($names));
$file = lab_config(["late.test:$port:1 node"], ['timeout' => 50]);
$redis = new OneHop\Redis('alpha', $file);
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
echo lab_run($script, [__DIR__ . '/../lab/lab.inc', $zone], [
    'unshare', '-m', '-n', '--', 'python3', __DIR__ . '/../../../conformance/lab/dns.py', $zone,
    '127.0.0.1 in-hosts.test', '--',
]);
?>
--EXPECT--
-- four workers, each with connections of its own; the name is cached for a minute
answers: of 127.0.0.1; several workers: true; asked: 1
-- without shared memory a process caches the name for itself
of 127.0.0.1
of 127.0.0.1
of 127.0.0.1
asked: 1
-- the next connection follows a name that moves, even if its TTL is 0
'of 127.0.0.1'
'of 127.0.0.2', asked: 2
-- an alias is cached no longer than its own TTL
'of 127.0.0.1'
'of 127.0.0.1', asked: 2
-- several addresses: the next one is tried if one refuses
'of 127.0.0.1', asked: 1
-- no query for names of /etc/hosts, for localhost (not in that file) and for numbers
'of 127.0.0.1'
'of 127.0.0.1'
'of 127.0.0.1'
no query
-- a child asks for itself while a query of its parent is in flight
too late
parent: of 127.0.0.1
child: of 127.0.0.1
