<?php
/*
 * One page of bench/cluster nodes, run by one of several workers: what the map of a large cluster costs this process.
 * Answers JSON. Times are of the processor, in microseconds, so that what else the machine does is not in them.
 */
declare(strict_types=1);

function spent(): float
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e6
        + $usage['ru_utime.tv_usec']
        + $usage['ru_stime.tv_usec'];
}

/** KiB that are this process' own. */
function memory(): int
{
    return (int) preg_replace('/.*Private_Dirty:\s+(\d+).*/s', '$1', file_get_contents(
        '/proc/self/smaps_rollup',
    ));
}

$told = ['pid' => getmypid(), 'memory' => memory()];
$begun = spent();
$redis = new OneHop\Redis('alpha');
$told['made'] = spent() - $begun;
$told['grown'] = memory() - $told['memory'];
switch ($_GET['job']) {
    case 'take':
        usleep(100000); // Meanwhile the others are taken by other workers.
        break;

    /* The slot of the first key has just moved; its redirect asks for a refresh, which one of the calls behind it has. */
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
