<?php
/*
 * Holds a connection of one node by WATCH until `wanted` workers hold one at the same time, or for
 * five seconds. Answers how many did.
 */
declare(strict_types=1);

$redis = new OneHop\Redis('alpha');
$redis->watch('key:1');
$file = fopen(dirname(ini_get('onehop.config')) . '/holders', 'c+');

/** Adds a holder, or removes one; returns the highest number so far. */
$add = static function (int $more) use ($file): int {
    flock($file, LOCK_EX);
    rewind($file);
    [$holders, $most] = array_map(intval(...), explode(' ', stream_get_contents($file) . ' 0'));
    $holders += $more;
    $most = max($most, $holders);
    rewind($file);
    ftruncate($file, 0);
    fwrite($file, "$holders $most");
    fflush($file);
    flock($file, LOCK_UN);
    return $most;
};
$add(1);
for ($end = microtime(true) + 5; $add(0) < (int) $_GET['wanted'] && microtime(true) < $end;) {
    usleep(10000);
}
$most = $add(-1);
$redis->unwatch();
echo json_encode(['most' => $most]);
