<?php

/* What Composer does for the package onehop/testing. */

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/../testing/src/' . substr($class, strlen('OneHop\Testing\\')) . '.php';
    if (str_starts_with($class, 'OneHop\Testing\\') && is_file($file)) {
        require $file;
    }
});
