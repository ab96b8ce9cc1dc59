<?php
/*
 * What this worker takes each configuration for, and what it is if it is read anew: path => fingerprints, which are one if
 * both agree.
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
