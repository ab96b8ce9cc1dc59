<?php

namespace OneHop\Laravel;

use Laravel\Horizon\RedisQueue;

/** Horizon's queue. Its events name a queue as supervisors know it, without our tag. */
final class HorizonQueue extends RedisQueue
{
    use TagsQueues {
        getQueue as private tagged;
    }

    /** Key of a queue => what the key would be without our tag. */
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
