<?php
/*
 * The roads of PHP, for valgrind and strace: roads.php SAMPLES CONFIG CLUSTER_CONFIG
 *
 * Each road runs twice to warm up, then SAMPLES times. is_link('/guard/ROAD') opens a sample and
 * is_link('/guard/end') closes it. Both tools see these calls, so counting.py knows what belongs
 * to which road. Every value is compared after the sample.
 */
declare(strict_types=1);

const WARM_UP = 2;

[, $samples, $config, $clusterConfig] = $argv;
$nodes = new OneHop\Redis('alpha', $config);
$cluster = new OneHop\Redis('alpha', $clusterConfig);

$items = $names = [];
for ($i = 0; $i < 100; $i++) {
    $items["item:$i"] = str_pad("value of item:$i", 32, '.');
}
for ($i = 0; $i < 1000; $i++) {
    $names["user:$i"] = "name of user:$i";
}
$keys = array_keys($items);
$many = [];
for ($i = 0; $i < 1000; $i++) {
    $many["text:$i"] = "text of text:$i";
}
$few = array_slice($items, 0, 20);
$nodes->mSet($items);
$cluster->mSet($many);

$sets = static function () use ($nodes, $few): array {
    $answers = [];
    foreach ($few as $key => $value) {
        $answers[] = $nodes->set($key, $value);
    }
    return $answers;
};
$gets = static function () use ($nodes, $few): array {
    $values = [];
    foreach ($few as $key => $value) {
        $values[] = $nodes->get($key);
    }
    return $values;
};
$hgets = static function (OneHop\Redis $redis) use ($names): array {
    $pipeline = $redis->pipeline();
    foreach ($names as $key => $name) {
        $pipeline->hGet($key, 'name');
    }
    return $pipeline->exec();
};

$roads = [
    'set' => [$sets, array_fill(0, count($few), true)],
    'get' => [$gets, array_values($few)],
    'mget' => [static fn () => $nodes->mGet($keys), array_values($items)],
    'pipeline' => [static fn () => $hgets($nodes), array_values($names)],
    'cluster.pipeline' => [static fn () => $hgets($cluster), array_values($names)],
    'cluster.mget' => [static fn () => $cluster->mGet(array_keys($many)), array_values($many)],
];
foreach ($roads as $road => [$run, $expected]) {
    for ($i = 0; $i < WARM_UP; $i++) {
        check($road, $run(), $expected);
    }
    for ($i = 0; $i < (int) $samples; $i++) {
        is_link("/guard/$road");
        $found = $run();
        is_link('/guard/end');
        check($road, $found, $expected);
        unset($found); // Or the next sample would pay for it.
    }
}

function check(string $road, array $found, array $expected): void
{
    if ($found !== $expected) {
        fwrite(STDERR, "$road: a value is wrong\n");
        exit(1);
    }
}
