<?php
/*
 * What a worker still has after others were killed, for the program `kills`. Answers JSON.
 *
 *     job=fingerprints    the fingerprints of `large` configurations
 *     job=hold            how many workers can hold a connection of one node at the same time
 */
declare(strict_types=1);

/**
 * The fingerprint of each configuration as this worker knows it, and as the file gives it now:
 * path => fingerprints, a single one if both are equal.
 */
function fingerprints(): array
{
    $answer = [];
    $directory = dirname(ini_get('onehop.config'));
    for ($i = 0; $i < (int) $_GET['large']; $i++) {
        $path = "$directory/large$i.yml";
        $answer[$path] = array_values(array_unique([
            (new OneHop\Topology('large', $path))->fingerprint(),
            OneHop\Topology::fromText('large', file_get_contents($path))->fingerprint(),
        ]));
    }
    return $answer;
}

/**
 * Holds a connection by WATCH until `wanted` workers hold one at the same time, or for five
 * seconds. Returns how many did.
 */
function hold(): array
{
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
    return ['most' => $most];
}

echo json_encode($_GET['job'] === 'hold' ? hold() : fingerprints());
