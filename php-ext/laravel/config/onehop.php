<?php

/* Which server pool Laravel's Redis connections use, and the file that describes it. */

return [
    'pool' => env('REDIS_POOL'),
    'config' => env('REDIS_CONFIG'), // Without it, the file that php.ini names.
];
