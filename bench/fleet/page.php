<?php
/*
 * The page of bench/fleet: makes a client and reads one key `calls` times in `page_us`, as the
 * simulated pages do. Answers JSON: begin, end and outcome of each call, how many values were
 * wrong, and the port of the key's node.
 *
 * With `status` it answers calls and waits of the pools. With `memory` it asks every node once, and
 * answers how many replied, and by how many KiB the private memory of this worker has grown.
 */
declare(strict_types=1);

function own_kib(): int
{
    preg_match('/^RssAnon:\s+(\d+)/m', file_get_contents('/proc/self/status'), $found);
    return (int) $found[1];
}

if (isset($_GET['status'])) {
    $counters = [];
    foreach (OneHop\Topology::status() as $pool) {
        foreach ($pool['nodes'] as $node) {
            $counters[$pool['pool']] = [$node['calls'], $node['waits']];
        }
    }
    exit(json_encode($counters));
}
if (isset($_GET['memory'])) {
    $before = own_kib();
    $redis = new OneHop\Redis('alpha');
    $redis->get('key');
    $one = own_kib();
    $answered = count(array_filter($redis->onEachNode('ping')));
    $grown = [$one - $before, own_kib() - $before];
    exit(json_encode(['pid' => getmypid(), 'answered' => $answered, 'grown' => $grown]));
}
$redis = new OneHop\Redis($_GET['pool']);
$step = intdiv((int) $_GET['page_us'], (int) $_GET['calls']);
$first = $step > 0 ? mt_rand(0, $step) : 0;
$calls = [];
$wrong = 0;
for ($call = 0; $call < (int) $_GET['calls']; $call++) {
    usleep($call === 0 ? $first : $step);
    $began = hrtime(true);
    try {
        $value = $redis->get($_GET['key']);
        $is_answered = true;
        $wrong += $value !== 'value of ' . $_GET['key'] && $value !== false;
    } catch (OneHop\Exception $e) {
        $is_answered = false;
    }
    $calls[] = [$began, hrtime(true), $is_answered];
}
usleep($step - $first);
$port = (new OneHop\Topology($_GET['pool']))->locate($_GET['key'])->port;
echo json_encode(['calls' => $calls, 'wrong' => $wrong, 'port' => $port]);
