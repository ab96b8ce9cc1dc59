<?php
/* Writes signatures.json: the parameters of every method of the loaded phpredis. A phpredis that
 * phpredis.json does not know is compared with the newest known one by this file. Methods with the
 * same parameters are served as before; all others are refused.
 *
 *     DIR/run php signatures.php        (trixie_root.sh unpacks the newest phpredis we know)
 *
 * In: class Redis by reflection. Out: the page. Spec: route.md, "phpredis' methods". */

declare(strict_types=1);

require __DIR__ . '/spelling.php';

$methods = all_signatures(new ReflectionClass('Redis'));
$lines = array_map(
    fn ($name, $signature) => '  ' . json_encode($name) . ': ' . json_encode($signature),
    array_keys($methods),
    $methods,
);
file_put_contents(
    __DIR__ . '/../../route/signatures.json',
    "{\n\"about\": \"Written by signatures.php: the parameters of each method of phpredis.\",\n"
        . '"version": ' . json_encode(phpversion('redis')) . ",\n\"methods\": {\n"
        . implode(",\n", $lines) . "\n}\n}\n",
);
