<?php
/*
 * A worker that knows what it has written last to each of its keys, and finds that and nothing else, while slots move and
 * masters die. Runs until the file `stop` is there; prints its ledger as JSON. What a failed write has done is unknown, and
 * is learned from the next read.
 */
declare(strict_types=1);

[, $config, $name, $stop, $tags] = $argv;
$redis = new OneHop\Redis('alpha', $config);
$keys = array_map(static fn ($tag) => "{{$tag}}$name", explode(',', file_get_contents($tags)));
$last = array_fill_keys($keys, 0);
$unknown = $wrong = $examples = $failures = [];
$rounds = $writes = 0;
while (!file_exists($stop)) {
    $rounds++;
    $chosen = array_rand($last, 100);
    $begun = microtime(true);
    try {
        $pipeline = $redis->pipeline();
        foreach ($chosen as $key) {
            $pipeline->set($key, "$key=" . ($last[$key] + 1))->get($key);
        }
        foreach ($chosen as $key) {
            $unknown[$key] = true;
        }
        $replies = $pipeline->exec();
        foreach ($chosen as $i => $key) {
            $value = "$key=" . ++$last[$key];
            unset($unknown[$key]);
            $writes++;
            if ($replies[2 * $i] !== true || $replies[2 * $i + 1] !== $value) {
                $wrong[] = [$key, $value, $replies[2 * $i + 1]];
            }
        }
    } catch (OneHop\Exception $e) {
        $failures[] = [$begun, microtime(true)];
        $examples[substr($e->getMessage(), 0, 300)] = true;
        usleep(5000);
        continue;
    }
}
$lost = 0;
foreach (array_chunk($keys, 200) as $chunk) {
    foreach (array_combine($chunk, $redis->mGet($chunk)) as $key => $value) {
        $is_last = $value === ($last[$key] ? "$key=$last[$key]" : false);
        $may = isset($unknown[$key]) && preg_match('/^' . preg_quote($key, '/') . '=\d+$/', (string) $value);
        $lost += !$is_last && !$may;
    }
}
echo json_encode(['rounds' => $rounds, 'writes' => $writes, 'wrong' => count($wrong), 'lost' => $lost, 'failures' => $failures,
    'examples' => array_slice(array_keys($examples), 0, 3)]);
