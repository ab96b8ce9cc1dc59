<?php
/*
 * Calls three nodes, one of which has a host name: as a page, or as `php names.php CONFIG SECONDS`.
 * Answers JSON: how many calls there were, the longest in milliseconds, and how many times the
 * named node and the others failed.
 */
declare(strict_types=1);

[$config, $seconds] = isset($argv)
    ? [$argv[1], (float) $argv[2]]
    : [$_GET['config'], (float) $_GET['seconds']];
$topology = new OneHop\Topology('alpha', $config);
$keys = [];
for ($i = 0; count($keys) < 3; $i++) {
    $keys[$topology->locate("k$i")->name] ??= "k$i";
}
$redis = new OneHop\Redis('alpha', $config);
try {
    $redis->mget([$keys['node-0'], $keys['node-1']]); // Connects.
} catch (OneHop\PartialBatch) {
    // The calls below count this failure, because the node rests.
}
$answer = ['calls' => 0, 'longest' => 0.0, 'named' => 0, 'others' => 0, 'sent' => 0];
for ($end = microtime(true) + $seconds; microtime(true) < $end; usleep(2000)) {
    foreach ([
        fn () => $redis->mget(array_values($keys)),
        ...array_map(fn ($key) => fn () => $redis->get($key), $keys),
    ] as $call) {
        $failures = [];
        $begin = hrtime(true);
        try {
            $call();
        } catch (OneHop\PartialBatch $e) {
            $failures = $e->getFailures();
        } catch (OneHop\Exception $e) {
            $failures = [$e->getNode() => $e];
        }
        $answer['longest'] = max($answer['longest'], (hrtime(true) - $begin) / 1e6);
        $answer['calls']++;
        $answer['named'] += isset($failures['named']);
        $answer['others'] += count($failures) - (int) isset($failures['named']);
        $answer['sent'] += (int) (
            isset($failures['named']) && $failures['named']->mayHaveExecuted()
        );
    }
}
echo json_encode($answer);
