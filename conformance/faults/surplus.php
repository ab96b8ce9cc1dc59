<?php
/*
 * Reads unique keys from the node of surplus.py, some immediately, some after a pause: as a
 * page, or as `php surplus.php CONFIG CALLS`. Answers JSON: how many calls were answered, how many
 * failed, and the calls that got another key's value, with their start and that value.
 */
declare(strict_types=1);

[$config, $calls] = isset($argv)
    ? [$argv[1], (int) $argv[2]]
    : [$_GET['config'], (int) $_GET['calls']];
$redis = new OneHop\Redis('alpha', $config);
$answer = ['calls' => 0, 'errors' => 0, 'wrong' => []];
while ($answer['calls'] < $calls) {
    $key = getmypid() . '-' . hrtime(true);
    $began = hrtime(true);
    try {
        $value = (string) $redis->get($key);
        $answer['calls']++;
        if (!str_starts_with($value, "$key ")) {
            $answer['wrong'][] = [$began, $value];
        }
    } catch (OneHop\Exception) {
        $answer['errors']++;
        usleep(1000);
    }
    if (mt_rand(0, 1)) {
        usleep(mt_rand(0, 3000));
    }
}
echo json_encode($answer);
