<?php

/* Calls a method from a file without strict types. Its twin is call_strict.php. */

function call_loose(Redis $redis, string $method, string $way, array $arguments): mixed
{
    return match ($way) {
        'spread' => $redis->$method(...$arguments),
        'by name' => call_user_func_array([$redis, $method], $arguments),
        'callable' => $redis->$method(...)(...$arguments),
    };
}
