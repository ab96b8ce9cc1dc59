--TEST--
A name that does not resolve costs only the keys of its node; nothing is sent, and the node rests
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$script = <<<'SCRIPT'
<?php
[, $lab, $zone] = $argv;
require $lab;
$ports = [lab_redis(), lab_redis(), lab_redis()];
$cases = [
    'slow.test' => ['a' => ['127.0.0.1'], 'delay' => 3],
    'slower.test' => ['a' => ['127.0.0.1'], 'delay' => 5],
    'silent.test' => ['drop' => true],
    'failing.test' => ['code' => 2],
    'unknown.test' => ['code' => 3],
];
file_put_contents($zone, json_encode($cases));

$page = <<<'PAGE'
<?php
$tries = 0;
$timed = static function (callable $call) use (&$longest): mixed {
    $begin = hrtime(true);
    try {
        return $call();
    } catch (OneHop\Exception $e) {
        return $e;
    } finally {
        $longest = max($longest, (hrtime(true) - $begin) / 1e6);
    }
};
$tell = static fn ($e) => substr(strrchr(get_class($e), '\\'), 1)
    . ($e->mayHaveExecuted() ? ', may have executed' : '') . ': '
    . preg_replace(['/\([A-Z].*?\)/', '/, node .*/'], ['(...)', ''], $e->getMessage());
$redis = new OneHop\Redis('alpha', $_GET['file']);
$three = [$_GET['keys']['node-1'], $_GET['keys']['named'], $_GET['keys']['node-0']];
foreach ([
    'mget' => fn () => $redis->mget($three),
    'pipeline' => fn () => $redis->pipeline()
        ->get($three[0])
        ->get($three[1])
        ->get($three[2])
        ->exec(),
] as $what => $call) {
    do { // On a busy machine a rest may end between two calls, and other calls may be too slow.
        $e = $timed($call);
        $failures = $e instanceof OneHop\PartialBatch ? $e->getFailures() : [];
        $named = isset($failures['named']) ? $failures['named']->getMessage() : '';
        $isMeant = count($failures) === 1
            && str_contains($named, 'is resting') === ($what === 'pipeline')
            && str_contains($named, 'resolved within') === (bool) $_GET['is_late'];
    } while (!$isMeant && ++$tries < 100 && usleep(20_000) === null);
    $replies = $e->getReplies();
    echo "$what: {$replies[0]}, {$replies[2]}, ", $tell($e->getFailures()['named']), "\n";
}
$others = array_map(static function ($key) use ($redis, $timed, &$tries) {
    while (is_object($value = $timed(fn () => $redis->get($key))) && ++$tries < 100) {
        usleep(20_000);
    }
    return $value;
}, [$three[0], $three[2]]);
echo 'others: ', implode(' ', $others), "\n";
echo 'longest call: ', $longest < 3000 ? 'not as long as the resolver takes' : "$longest ms", "\n";
PAGE;

$fpm = lab_fpm(['onehop.pool_scope' => 'host'], 2);
foreach ($cases as $name => $case) {
    $file = lab_config([$ports[0], $ports[1], "$name:$ports[2]:1 named"], ['timeout' => 200]);
    $keys = lab_key_of_each($file);
    foreach (['node-0', 'node-1', 'named'] as $i => $node) {
        lab_plain($ports[$i])->set($keys[$node], "of $node");
    }
    lab_plain($ports[2])->rawCommand('CONFIG', 'RESETSTAT');
    echo "-- $name, on the command line\n";
    $isLate = isset($case['delay']) || isset($case['drop']);
    $_GET = ['file' => $file, 'keys' => $keys, 'is_late' => (int) $isLate];
    $longest = $tries = 0;
    eval(substr($page, 5));
    echo "-- $name, in php-fpm\n";
    echo $fpm($page, $_GET);
    $sent = lab_plain($ports[2])->info('commandstats');
    $is_called = isset($sent['cmdstat_get']) || isset($sent['cmdstat_mget']);
    echo 'sent to it: ', $is_called ? 'something' : 'nothing', "\n";
}

echo "-- an answer that is too late for one call serves the next one\n";
$late = lab_config(["slow.test:$ports[2]:1 named"], ['timeout' => 200], 'late.yml');
$redis = new OneHop\Redis('alpha', $late);
$value = false;
for ($end = microtime(true) + 60; $value === false && microtime(true) < $end; usleep(50000)) {
    try {
        $value = $redis->get($keys['named']);
    } catch (OneHop\Exception) {
    }
}
lab_show('value', $value);
SCRIPT;
$zone = Lab::file('zone.json');
echo lab_run($script, [__DIR__ . '/../lab/lab.inc', $zone], [
    'unshare', '-m', '-n', '--', 'python3', __DIR__ . '/../../../conformance/lab/dns.py', $zone,
    '--',
]);
?>
--EXPECT--
-- slow.test, on the command line
mget: of node-1, of node-0, DeadlineExceeded: Host name not resolved within 200 ms
pipeline: of node-1, of node-0, NodeDown: The node is resting after a failure: Host name not resolved within 200 ms
others: of node-1 of node-0
longest call: not as long as the resolver takes
-- slow.test, in php-fpm
mget: of node-1, of node-0, DeadlineExceeded: Host name not resolved within 200 ms
pipeline: of node-1, of node-0, NodeDown: The node is resting after a failure: Host name not resolved within 200 ms
others: of node-1 of node-0
longest call: not as long as the resolver takes
sent to it: nothing
-- slower.test, on the command line
mget: of node-1, of node-0, DeadlineExceeded: Host name not resolved within 200 ms
pipeline: of node-1, of node-0, NodeDown: The node is resting after a failure: Host name not resolved within 200 ms
others: of node-1 of node-0
longest call: not as long as the resolver takes
-- slower.test, in php-fpm
mget: of node-1, of node-0, DeadlineExceeded: Host name not resolved within 200 ms
pipeline: of node-1, of node-0, NodeDown: The node is resting after a failure: Host name not resolved within 200 ms
others: of node-1 of node-0
longest call: not as long as the resolver takes
sent to it: nothing
-- silent.test, on the command line
mget: of node-1, of node-0, DeadlineExceeded: Host name not resolved within 200 ms
pipeline: of node-1, of node-0, NodeDown: The node is resting after a failure: Host name not resolved within 200 ms
others: of node-1 of node-0
longest call: not as long as the resolver takes
-- silent.test, in php-fpm
mget: of node-1, of node-0, DeadlineExceeded: Host name not resolved within 200 ms
pipeline: of node-1, of node-0, NodeDown: The node is resting after a failure: Host name not resolved within 200 ms
others: of node-1 of node-0
longest call: not as long as the resolver takes
sent to it: nothing
-- failing.test, on the command line
mget: of node-1, of node-0, NodeDown: Host name not resolved (...)
pipeline: of node-1, of node-0, NodeDown: The node is resting after a failure: Host name not resolved (...)
others: of node-1 of node-0
longest call: not as long as the resolver takes
-- failing.test, in php-fpm
mget: of node-1, of node-0, NodeDown: Host name not resolved (...)
pipeline: of node-1, of node-0, NodeDown: The node is resting after a failure: Host name not resolved (...)
others: of node-1 of node-0
longest call: not as long as the resolver takes
sent to it: nothing
-- unknown.test, on the command line
mget: of node-1, of node-0, NodeDown: Host name not resolved (...)
pipeline: of node-1, of node-0, NodeDown: The node is resting after a failure: Host name not resolved (...)
others: of node-1 of node-0
longest call: not as long as the resolver takes
-- unknown.test, in php-fpm
mget: of node-1, of node-0, NodeDown: Host name not resolved (...)
pipeline: of node-1, of node-0, NodeDown: The node is resting after a failure: Host name not resolved (...)
others: of node-1 of node-0
longest call: not as long as the resolver takes
sent to it: nothing
-- an answer that is too late for one call serves the next one
value: "of named"
