<?php

declare(strict_types=1);

/* Calls a method from a file with strict types. Its twin is call_loose.php. */

function call_strict(Redis $redis, string $method, string $way, array $arguments): mixed
{
    return match ($way) {
        'spread' => $redis->$method(...$arguments),
        'by name' => call_user_func_array([$redis, $method], $arguments),
        'callable' => $redis->$method(...)(...$arguments),
    };
}
