<?php
/*
 * The fingerprint of each configuration as this worker knows it, and as the file gives it now:
 * path => fingerprints, a single one if both are equal.
 */
declare(strict_types=1);

$answer = [];
$directory = dirname(ini_get('onehop.config'));
for ($i = 0; $i < (int) $_GET['large']; $i++) {
    $path = "$directory/large$i.yml";
    $answer[$path] = array_values(array_unique([
        (new OneHop\Topology('large', $path))->fingerprint(),
        OneHop\Topology::fromText('large', file_get_contents($path))->fingerprint(),
    ]));
}
echo json_encode($answer);
