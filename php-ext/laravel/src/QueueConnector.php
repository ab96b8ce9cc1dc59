<?php

namespace OneHop\Laravel;

use Illuminate\Contracts\Redis\Factory as Redis;
use Illuminate\Queue\Connectors\RedisConnector;

/** Laravel's connector with another class of queue. */
final class QueueConnector extends RedisConnector
{
    public function __construct(Redis $redis, private string $class)
    {
        parent::__construct($redis);
    }

    public function connect(array $config): Queue|HorizonQueue
    {
        return new $this->class(
            $this->redis,
            $config['queue'],
            $config['connection'] ?? $this->connection,
            $config['retry_after'] ?? 60,
            $config['block_for'] ?? null,
            $config['after_commit'] ?? null,
            $config['migration_batch_size'] ?? -1,
        );
    }
}
