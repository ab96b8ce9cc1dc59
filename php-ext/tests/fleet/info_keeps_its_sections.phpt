--TEST--
INFO of several nodes has every section of every node; counters of commands and errors are added up
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];
$redis = new OneHop\Redis('alpha', lab_config($ports));
for ($i = 0; $i < 200; $i++) {
    $redis->set("key:$i", $i);
    $redis->hGet("key:$i", 'field');
}
$nodes = array_map(lab_plain(...), $ports);
$parts = static fn (array $info, string $field): array => array_column(
    array_map(fn ($part) => explode('=', $part), explode(',', $info[$field] ?? '=0')),
    1,
    0,
);

echo "sections that only a node has: ";
foreach ([
    'server', 'clients', 'memory', 'persistence', 'stats', 'replication', 'cpu', 'commandstats',
    'errorstats', 'latencystats', 'cluster', 'keyspace',
] as $section) {
    $one = max(array_map(fn ($node) => count($node->info($section)), $nodes));
    echo $one && !$redis->info($section) ? "$section " : '';
}
echo "none\n";
foreach (['all', 'everything'] as $section) {
    $names = array_keys($redis->info($section));
    var_dump(
        count(preg_grep('/^cmdstat_/', $names)) > 2,
        count(preg_grep('/^errorstat_/', $names)) > 0,
    );
}

$fleet = $redis->info('commandstats');
$each = array_map(fn ($node) => $node->info('commandstats'), $nodes);
$sums = fn (string $field, string $part): int
    => array_sum(array_map(fn ($info) => $parts($info, $field)[$part] ?? 0, $each));
$set = $parts($fleet, 'cmdstat_set');
var_dump(
    $set['calls'],
    (int) $set['usec'] === $sums('cmdstat_set', 'usec'),
    $set['usec_per_call'] === sprintf('%.2f', floor($set['usec'] / 2) / 100),
    $parts($fleet, 'cmdstat_hget')['failed_calls'],
);
var_dump($redis->info('errorstats')['errorstat_WRONGTYPE']);
$p99 = static function (Redis $redis) use ($parts): float {
    $percentiles = $parts($redis->info('latencystats'), 'latency_percentiles_usec_set');
    return (float) ($percentiles['p99'] ?? 0);
};
$highest = max(array_map($p99, $nodes));
var_dump($p99($redis) === $highest);
var_dump(str_contains($redis->rawCommand('INFO', 'commandstats'), "\r\ncmdstat_set:calls=200,"));
?>
--EXPECT--
sections that only a node has: none
bool(true)
bool(true)
bool(true)
bool(true)
string(3) "200"
bool(true)
bool(true)
string(3) "200"
string(9) "count=200"
bool(true)
bool(true)
