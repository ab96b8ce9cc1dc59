<?php

namespace OneHop\Laravel;

/**
 * A queue's keys are those of one script: `queues:NAME`, and that with `:delayed`, `:reserved` and
 * `:notify`. So the name becomes a tag, as Laravel 13 makes it: `queues:{NAME}`. A name that has a
 * tag stays as it is.
 */
trait TagsQueues
{
    public function getQueue($queue): string
    {
        return 'queues:' . HashTag::on(substr(parent::getQueue($queue), strlen('queues:')));
    }
}
