<?php
/* The parameters of phpredis' methods, spelled as in signatures.json: names, & by reference, ...
 * variadic. signatures.php writes that file; methods_check.php compares it with the loaded
 * phpredis. */

declare(strict_types=1);

/** Name of the method in lower case => its parameters, sorted by name. */
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
