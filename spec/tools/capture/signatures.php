<?php
/* Writes signatures.json: the parameters of every method of the loaded phpredis. If
 * phpredis.json does not know a phpredis, its methods are compared with these signatures of the
 * newest known one. Methods with the same parameters are served as before; all others are refused.
 *
 *     DIR/run php signatures.php        (trixie_root.sh unpacks the newest phpredis we know)
 *
 * In: class Redis by reflection. Out: the page. Spec: route.md, "phpredis' methods". */

declare(strict_types=1);

/**
 * Name of the method in lower case => its parameters. The methods are sorted by name. & stands
 * before a parameter by reference, ... before a variadic one.
 */
function all_signatures(ReflectionClass $class): array
{
    $spelled = fn (ReflectionParameter $parameter) => ($parameter->isPassedByReference() ? '&' : '')
        . ($parameter->isVariadic() ? '...' : '') . $parameter->getName();
    $methods = [];
    foreach ($class->getMethods() as $method) {
        $methods[strtolower($method->getName())] = implode(
            ',',
            array_map($spelled, $method->getParameters()),
        );
    }
    ksort($methods);
    return $methods;
}

/* methods_check.php compares the page with the loaded phpredis, and includes this file for that. */
if (realpath($_SERVER['SCRIPT_FILENAME']) !== __FILE__) {
    return;
}
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
