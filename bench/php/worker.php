<?php
/*
 * The PHP worker of the benchmarks: runs subjects of JobsBench on request. bench/workers.py
 * describes the protocol.
 */
declare(strict_types=1);

require __DIR__ . '/subject.php';

$plan = new Plan($argv[1]);
JobsBench::usePlan($plan);
$methods = [
    'hget' => 'benchHget', 'get' => 'benchGet', 'set' => 'benchSet', 'mget' => 'benchMget',
    'mset' => 'benchMset', 'del' => 'benchDel', 'cold' => 'benchCold',
    'alive' => 'alive', 'hset' => 'hset',
];
$subjects = array_map(static fn (string $method) => new Subject($method), $methods);
echo "ready\n";
while (($line = fgets(STDIN)) !== false) {
    [, $name, $untimed, $timed] = $words = explode(' ', rtrim($line));
    $operation = $words[4] ?? 'hget';
    if (!isset($subjects[$operation])) {
        echo "no\n";
        continue;
    }
    $params = [
        'contestant' => $name,
        'keys' => (int) ($words[5] ?? $plan->size),
        'bytes' => (int) ($words[6] ?? 0),
        'of' => (int) ($words[7] ?? count($plan->hashes)),
        'writes' => false,
    ];
    $answer = [];
    for ($i = 0; $i < $untimed + $timed; $i++) {
        [$taken, $right] = $subjects[$operation]->run($params);
        if ($i >= $untimed) {
            $answer[] = $right === null ? $taken : "$taken/$right";
        }
    }
    echo implode(' ', $answer), "\n";
}
