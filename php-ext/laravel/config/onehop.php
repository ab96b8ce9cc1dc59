<?php

/* Which server pool Laravel's Redis connections use, and the file that describes it. */

return [
    'pool' => env('REDIS_POOL'),
    'config' => env('REDIS_CONFIG'), // By default the file that php.ini names.
];
