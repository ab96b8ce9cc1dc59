<?php
/*
 * A worker that looks for the keys 0 to COUNT-1. For each fingerprint of the file it counts how
 * many keys are found. Found.java is its twin in Java.
 *
 *     php found.php write COUNT
 *     php found.php read COUNT STOP   any keys, by MGET and GET, until the file STOP exists
 *     php found.php sweep COUNT       each key once
 *
 * It prints as JSON {fingerprint: [asked, found, wrong]} and the failures.
 */
declare(strict_types=1);

const BATCH = 100;

[, $job, $count] = $argv;
$redis = new OneHop\Redis('alpha');
$found = $failures = [];
$look = function (array $keys, callable $read) use (&$found, &$failures) {
    $known = (new OneHop\Topology('alpha'))->fingerprint();
    $found[$known] ??= [0, 0, 0];
    try {
        foreach (array_combine($keys, $read($keys)) as $key => $value) {
            $found[$known][0]++;
            $found[$known][1] += $value === "value of $key" ? 1 : 0;
            $found[$known][2] += $value !== false && $value !== "value of $key" ? 1 : 0;
        }
    } catch (OneHop\Exception $e) {
        $failures[] = substr($e->getMessage(), 0, 300);
    }
};
$mget = fn (array $keys) => $redis->mGet($keys);
$sweep = function (callable $do) use ($count) {
    for ($i = 0; $i < $count; $i += BATCH) {
        $numbers = range($i, min($count, $i + BATCH) - 1);
        $do(array_map(static fn ($number) => "key:$number", $numbers));
    }
};
$read = function (string $stop) use ($count, $look, $mget, $redis) {
    while (!file_exists($stop)) {
        for ($keys = []; count($keys) < BATCH;) {
            $keys[mt_rand(0, $count - 1)] = true;
        }
        $keys = array_map(static fn ($number) => "key:$number", array_keys($keys));
        $look($keys, $mget);
        $look([$keys[0]], fn ($keys) => [$redis->get($keys[0])]);
    }
};
match ($job) {
    'write' => $sweep(fn (array $keys) => $redis->mSet(
        array_combine($keys, array_map(static fn ($key) => "value of $key", $keys)),
    )),
    'read' => $read($argv[3]),
    'sweep' => $sweep(fn (array $keys) => $look($keys, $mget)),
};
echo json_encode(['found' => (object) $found, 'failures' => $failures]);
