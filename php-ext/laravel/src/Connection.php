<?php

namespace OneHop\Laravel;

use Illuminate\Redis\Connections\PhpRedisClusterConnection;
use Illuminate\Redis\Connections\PhpRedisConnection;
use Illuminate\Redis\Limiters\ConcurrencyLimiterBuilder;

/**
 * A connection to several nodes, which Laravel calls a cluster: so its queues, limiters, broadcasts
 * and tagged caches keep to what several nodes can do. Nodes are not named to it, unlike a
 * RedisCluster's: all calls are those of one server.
 *
 * It ends what a failed call has left open. Laravel does not: after a refused call, all later calls
 * of a queue worker would go into its transaction or pipeline.
 */
final class Connection extends PhpRedisClusterConnection
{
    public static function of(PhpRedisConnection $made): self
    {
        return new self($made->client, $made->connector, $made->config);
    }

    public function scan($cursor, $options = [])
    {
        return PhpRedisConnection::scan($cursor, $options);
    }

    public function flushdb()
    {
        return PhpRedisConnection::flushdb(...func_get_args());
    }

    /** The slots of a funnel are keys of one script. */
    public function funnel($name): ConcurrencyLimiterBuilder
    {
        return parent::funnel(HashTag::on($name));
    }

    public function command($method, array $parameters = [])
    {
        return $this->ending(fn () => parent::command($method, $parameters));
    }

    public function pipeline(?callable $callback = null)
    {
        return $this->ending(fn () => parent::pipeline($callback));
    }

    public function transaction(?callable $callback = null)
    {
        return $this->ending(fn () => parent::transaction($callback));
    }

    /** Calls, and discards what is open if that throws. */
    private function ending(callable $call): mixed
    {
        $isOver = false;
        try {
            $result = $call();
            $isOver = true;
            return $result;
        } finally {
            if (!$isOver && $this->client->getMode() !== \Redis::ATOMIC) {
                $this->client->discard();
            }
        }
    }
}
