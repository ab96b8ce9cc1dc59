<?php
/*
 * Holds a connection of one node (WATCH keeps it) until as many workers as possible hold one, and answers how many there
 * have been at once.
 */
declare(strict_types=1);

$redis = new OneHop\Redis('alpha');
$redis->watch('key:1');
$file = fopen(dirname(ini_get('onehop.config')) . '/holders', 'c+');
$add = static function (int $more) use ($file): int {
    flock($file, LOCK_EX);
    rewind($file);
    $count = (int) stream_get_contents($file) + $more;
    rewind($file);
    ftruncate($file, 0);
    fwrite($file, (string) $count);
    fflush($file);
    flock($file, LOCK_UN);
    return $count;
};
$held = $add(1);
for ($end = microtime(true) + 0.5; microtime(true) < $end; usleep(10000)) {
    $held = max($held, $add(0));
}
$add(-1);
$redis->unwatch();
echo json_encode(['held' => $held]);
