<?php

namespace OneHop\Laravel;

use Illuminate\Redis\Connections\PhpRedisClusterConnection;
use Illuminate\Redis\Connections\PhpRedisConnection;
use Illuminate\Redis\Limiters\ConcurrencyLimiterBuilder;

/**
 * A connection to several nodes. To Laravel it is a cluster, so queues, limiters, broadcasts and
 * tagged caches only do what works with several nodes. But unlike calls of a RedisCluster, no call
 * needs the name of a node: all are made as for one server.
 *
 * If a call fails, this class ends the transaction or pipeline that is still open. Laravel itself
 * does not: after a refused call, all later calls of a queue worker would be queued in it.
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

    /** Returns `{name}`, or a name that has a tag as it is: keys with one tag are on one node. */
    public static function tagged(string $name): string
    {
        return preg_match('/\{[^}]+\}/', $name) ? $name : '{' . $name . '}';
    }

    /** One script uses all slots of a funnel as keys, so these get a tag. */
    public function funnel($name): ConcurrencyLimiterBuilder
    {
        return parent::funnel(self::tagged($name));
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

    /** Makes a call. If that throws, discards the open transaction or pipeline. */
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
