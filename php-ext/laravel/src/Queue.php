<?php

namespace OneHop\Laravel;

use Illuminate\Queue\RedisQueue;

final class Queue extends RedisQueue
{
    use TagsQueues;
}
