<?php

namespace OneHop\Laravel;

use Laravel\Horizon\RedisQueue;

/** Horizon's queue. What Horizon is told has the name that supervisors know, without our tag. */
final class HorizonQueue extends RedisQueue
{
    use TagsQueues {
        getQueue as private tagged;
    }

    /** The names of queues that have got a tag: key of the queue => what it would be without. */
    private array $names = [];

    public function getQueue($queue): string
    {
        $key = $this->tagged($queue);
        $this->names[$key] = parent::getQueue($queue);
        return $key;
    }

    protected function event($queue, $event): void
    {
        parent::event($this->names[$queue] ?? $queue, $event);
    }
}
