<?php
/*
 * The page of bench/cluster.py, run by one of several workers. With `job=pages` it makes a client
 * and calls 20 commands; it answers how many replies were wrong. Every other job is about what the
 * map of a large cluster costs this process, and answers JSON. Times are processor times in
 * microseconds, so other work of the machine does not count.
 */
declare(strict_types=1);

if ($_GET['job'] === 'pages') {
    $redis = $_GET['client'] === 'onehop'
        ? new OneHop\Redis('alpha')
        : new RedisCluster(null, explode(',', $_GET['seeds']), 2.0, 2.0, true);
    mt_srand((int) $_GET['seed']);
    $wrong = 0;
    for ($i = 0; $i < 20; $i++) {
        $key = 'key:' . mt_rand(0, 999);
        $wrong += $redis->get($key) !== "value of $key";
    }
    exit((string) $wrong);
}

function spent(): float
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e6
        + $usage['ru_utime.tv_usec']
        + $usage['ru_stime.tv_usec'];
}

/** The private memory of this process, in KiB. */
function memory(): int
{
    $memory = file_get_contents('/proc/self/smaps_rollup');
    return (int) preg_replace('/.*Private_Dirty:\s+(\d+).*/s', '$1', $memory);
}

$told = ['pid' => getmypid(), 'memory' => memory()];
$begun = spent();
$redis = new OneHop\Redis('alpha');
$told['made'] = spent() - $begun;
$told['grown'] = memory() - $told['memory'];
switch ($_GET['job']) {
    case 'take':
        usleep(100000); // Meanwhile other workers take the other requests.
        break;

    /* The slot of the first key has just moved: a redirect. A later call refreshes the map. */
    case 'ask':
        $begun = spent();
        $redis->get($_GET['moved']);
        $told['moved'] = spent() - $begun;
        $end = microtime(true) + 2;
        for ($calls = []; microtime(true) < $end;) {
            $begun = spent();
            $redis->get($_GET['stays']);
            $calls[] = spent() - $begun;
        }
        sort($calls);
        $told += ['usual' => $calls[intdiv(count($calls), 2)], 'longest' => end($calls)];
        break;

    case 'place':
        $topology = new OneHop\Topology('alpha');
        $keys = array_map(static fn ($number) => "key:$number", range(0, 9999));
        $each = static function (callable $do) use ($keys): float {
            for ($best = INF, $round = 0; $round < 50; $round++) {
                $begun = hrtime(true);
                foreach ($keys as $key) {
                    $do($key);
                }
                $best = min($best, (hrtime(true) - $begun) / count($keys));
            }
            return $best;
        };
        $told['place'] = $each($topology->locate(...));
        $told['nodes'] = count($topology->nodes());
        break;

    case 'all':
        foreach ($redis->onEachNode('ping') as $reply) {
            $told['answered'] = ($told['answered'] ?? 0) + ($reply === true);
        }
        $told['grown'] = memory() - $told['memory'];
        $status = current(
            array_filter(OneHop\Topology::status(), static fn ($pool) => $pool['pool'] === 'alpha'),
        );
        $told['metered'] = count($status['nodes']);
        break;
}
echo json_encode($told);
