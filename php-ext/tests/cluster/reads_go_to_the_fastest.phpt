--TEST--
read_from: lowest_latency: reads leave a node that is slow and return once it is fast again
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

const READS = 400;
$cluster = new LabCluster(1, 2, '--hz', '500');
$cluster->call($cluster->ports[0], 'SET', 'key', 'value');
foreach ($cluster->ports as $port) {
    Lab::until(static fn () => $cluster->call($port, 'DBSIZE') === 1, 'replicated key');
}
$cluster->awaitOnline();

$redis = new OneHop\Redis(
    'alpha',
    $cluster->config(['read_from' => 'lowest_latency']),
);

/* Port => reads that the node has answered since its statistics began. */
$answered = static function () use ($cluster): array {
    $reads = [];
    foreach ($cluster->ports as $port) {
        $reads[$port] = preg_match(
            '/cmdstat_get:calls=(\d+)/',
            $cluster->call($port, 'INFO', 'commandstats'),
            $match,
        ) ? (int) $match[1] : 0;
    }
    return $reads;
};

/* READS reads while $slow nodes answer after 8 ms. Returns which nodes answered the second half. */
$read = static function (array $slow) use ($cluster, $redis, $answered): array {
    $wrong = 0;
    for ($i = 0; $i < READS; $i++) {
        if ($i === intdiv(READS, 2)) {
            $cluster->forgetStatistics();
        }
        foreach ($slow as $port) {
            $cluster->call($port, 'CLIENT', 'PAUSE', '8');
        }
        $wrong += $redis->get('key') !== 'value';
    }
    return [$answered(), $wrong];
};

[$reads, $wrong] = $read([]);
$favourite = array_search(max($reads), $reads, true);
echo array_sum($reads), " reads, $wrong wrong\n";

echo "the fastest node becomes slow\n";
[$reads, $wrong] = $read([$favourite]);
/* Several rounds, because on a busy machine all nodes are slow. */
for ($round = 0; $round < 20 && $reads[$favourite] >= READS / 2 / 10; $round++) {
    [$reads, $wrong] = $read([$favourite]);
}
echo array_sum($reads), " reads, $wrong wrong; ", $reads[$favourite] < READS / 2 / 10
    ? "nearly all elsewhere\n"
    : "$reads[$favourite] still there\n";
/* Several rounds, because the two other nodes take turns when the client compares. */
for ($round = 0; $round < 20 && $reads[$favourite] === 0; $round++) {
    [$reads, $wrong] = $read([$favourite]);
}
echo $reads[$favourite] > 0 ? "the slow node is asked at times\n" : "the slow node is not asked\n";

echo "only the others become slow\n";
[$reads, $wrong] = $read(array_diff($cluster->ports, [$favourite]));
for ($round = 0; $round < 20 && $reads[$favourite] < READS / 2 * 0.9; $round++) {
    [$reads, $wrong] = $read(array_diff($cluster->ports, [$favourite]));
}
echo array_sum($reads), " reads, $wrong wrong; ",
    $reads[$favourite] >= READS / 2 * 0.9 ? "nearly all there\n" : "$reads[$favourite] there\n";

$cluster->kill($favourite === $cluster->ports[0] ? $cluster->ports[1] : $favourite);
for ($i = $wrong = 0; $i < 200; $i++) {
    $wrong += $redis->get('key') !== 'value';
}
echo "a replica is dead: $wrong wrong\n";
?>
--EXPECT--
200 reads, 0 wrong
the fastest node becomes slow
200 reads, 0 wrong; nearly all elsewhere
the slow node is asked at times
only the others become slow
200 reads, 0 wrong; nearly all there
a replica is dead: 0 wrong
