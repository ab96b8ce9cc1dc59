<?php
/* The parameters of phpredis' methods, spelled as signatures.json has them: names, & by reference, ... variadic. Used by
 * signatures.php, which writes the page, and methods_check.php, which holds it against the loaded phpredis. */

declare(strict_types=1);

/** name of the method in small letters => its parameters, in the order of names. */
function all_signatures(ReflectionClass $class): array
{
    $spelled = fn(ReflectionParameter $parameter) => ($parameter->isPassedByReference() ? '&' : '')
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
