--TEST--
INFO of several nodes has every field that frameworks read, and no others
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/* What the sources of these programs read, with the section that they ask for. */
$read = [
    'Symfony, clear()' => ['Server', ['redis_version']],
    'Symfony, tags' => ['Memory', ['maxmemory_policy']],
    'Drupal' => [null, [
        'redis_version', 'redis_mode', 'connected_clients', 'used_memory', 'used_memory_human',
        'maxmemory', 'maxmemory_policy', 'uptime_in_seconds', 'total_net_output_bytes',
        'total_net_input_bytes', 'total_commands_processed', 'total_connections_received',
    ]],
    'WordPress, redis-cache' => [null, ['redis_version']],
    'WordPress, wp-redis' => [null, [
        'uptime_in_days', 'used_memory_human', 'instantaneous_ops_per_sec', 'keyspace_hits',
        'keyspace_misses', 'db0',
    ]],
    'WordPress, W3 Total Cache' => [null, [
        'used_memory', 'keyspace_hits', 'keyspace_misses', 'evicted_keys', 'uptime_in_seconds',
    ]],
    'Magento' => [null, ['used_memory', 'keyspace_hits', 'keyspace_misses']],
    'Doctrine' => [null, [
        'keyspace_hits', 'keyspace_misses', 'uptime_in_seconds', 'used_memory',
    ]],
];
$ports = [lab_redis(), lab_redis(), lab_redis()];
$nodes = array_map(lab_plain(...), $ports);
$fleet = new OneHop\Redis('alpha', lab_config($ports));
for ($i = 0; $i < 30; $i++) {
    $fleet->set(md5("$i"), $i);
    $fleet->get(md5("$i"));
    $fleet->get(md5("no $i"));
}
foreach ($read as $program => [$section, $fields]) {
    $ask = fn (Redis $redis) => $section === null ? $redis->info() : $redis->info($section);
    $one = $ask($nodes[0]);
    $types = fn (array $info) => array_map(
        fn ($field) => get_debug_type($info[$field] ?? null),
        $fields,
    );
    lab_show($program, $types($ask($fleet)) === $types($one) ?: $types($ask($fleet)));
}

$info = $fleet->info();
$sum = fn (string $field) => array_sum(array_map(fn ($node) => $node->info()[$field], $nodes));
echo "-- values\n";
lab_show('keys', $info['db0']);
lab_show('hits', [$info['keyspace_hits'], $sum('keyspace_hits')]);
lab_show('misses', [$info['keyspace_misses'], $sum('keyspace_misses')]);
lab_show('a version', $info['redis_version'] === $nodes[0]->info()['redis_version']);
$megabytes = sprintf('%.2fM', $info['used_memory'] / 1048576);
lab_show('for people', $megabytes === $info['used_memory_human']);
preg_match_all('/^\w+(?=:)/m', $fleet->rawCommand('INFO'), $named);
lab_show('the same fields in the text', $named[0] === array_keys($info));
$page = json_decode(file_get_contents(__DIR__ . '/../../../spec/route/info.json'), true);
lab_show('others', array_diff(array_keys($info), array_column($page['fields'], 'name')));
lab_show('each node has all', min(array_map('count', $fleet->onEachNode('info'))) > 80);
lab_show(
    'one node has all',
    count((new OneHop\Redis('alpha', lab_config([$ports[0]], [], 'one.yml')))->info()) > 80,
);

$old = fn () => lab_node('
    for words in commands():
        value("# Server\r\nuptime_in_seconds:86500\r\nuptime_in_days:1\r\n")');
$fleet = new OneHop\Redis('alpha', lab_config([$old(), $old()]));
lab_show('a number with fewer digits than the number before', $fleet->info());
?>
--EXPECT--
Symfony, clear(): true
Symfony, tags: true
Drupal: true
WordPress, redis-cache: true
WordPress, wp-redis: true
WordPress, W3 Total Cache: true
Magento: true
Doctrine: true
-- values
keys: "keys=30"
hits: [30,30]
misses: [30,30]
a version: true
for people: true
the same fields in the text: true
others: []
each node has all: true
one node has all: true
a number with fewer digits than the number before: {"uptime_in_seconds":86500,"uptime_in_days":1}
