<?php

namespace OneHop\Laravel;

/**
 * One script uses all keys of a queue: `queues:NAME`, and the same with `:delayed`, `:reserved` and
 * `:notify`. So the name becomes a tag, as in Laravel 13: `queues:{NAME}`. A name that has a tag
 * stays as it is.
 */
trait TagsQueues
{
    public function getQueue($queue): string
    {
        return 'queues:' . Connection::tagged(substr(parent::getQueue($queue), strlen('queues:')));
    }
}
