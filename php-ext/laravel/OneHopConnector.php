<?php

/*
 * Laravel's connections on OneHop\Redis. Copy this file to app/Redis/ and register it in a service
 * provider:
 *
 *     Redis::extend('onehop', fn () => new App\Redis\OneHopConnector());
 *
 * In config/database.php, section `redis`, set 'client' => 'onehop', and 'pool' among the 'options'
 * or in a connection.
 */

namespace App\Redis;

use Illuminate\Cache\RedisStore;
use Illuminate\Redis\Connections\PhpRedisConnection;
use Illuminate\Redis\Connectors\PhpRedisConnector;
use Illuminate\Support\Arr;
use InvalidArgumentException;

/**
 * Laravel's own connector with another client. Hosts, ports, passwords and timeouts come from
 * OneHop's configuration file. The database is the one that the connection names.
 */
final class OneHopConnector extends PhpRedisConnector
{
    private const OPTIONS = [
        'prefix' => \Redis::OPT_PREFIX,
        'read_timeout' => \Redis::OPT_READ_TIMEOUT,
        'scan' => \Redis::OPT_SCAN,
        'serializer' => \Redis::OPT_SERIALIZER,
        'compression' => \Redis::OPT_COMPRESSION,
        'compression_level' => \Redis::OPT_COMPRESSION_LEVEL,
    ];

    /** The options override the connection, except for `pool` and `config`. */
    public function connect(array $config, array $options): PhpRedisConnection
    {
        return OneHopConnection::of(parent::connect(
            $config,
            array_merge($options, Arr::only($config, ['pool', 'config'])),
        ));
    }

    /** A cluster in Laravel's configuration is also one server pool. */
    public function connectToCluster(
        array $config,
        array $clusterOptions,
        array $options,
    ): PhpRedisConnection {
        return $this->connect([], array_merge($options, $clusterOptions));
    }

    protected function createClient(array $config): \OneHop\Redis
    {
        $database = (int) ($config['database'] ?? 0);
        $client = new \OneHop\Redis($this->pool($config, $database), $config['config'] ?? null);
        if (!$client->select($database)) {
            $error = trim($client->getLastError());
            throw new InvalidArgumentException(
                "A Redis connection asks for database $database, and a node of its server pool "
                    . "{$client->getHost()} refuses it: $error",
            );
        }
        foreach (self::OPTIONS as $name => $option) {
            $value = $config[$name] ?? '';
            if ($value !== '' && !$client->setOption($option, $value)) {
                throw new InvalidArgumentException(
                    "phpredis does not accept the Redis option $name.",
                );
            }
        }
        return $client;
    }

    /** The name of the server pool: one for all, or one for each database. */
    private function pool(array $config, int $database): string
    {
        $pool = $config['pool'] ?? null;
        $name = is_array($pool) ? $pool[$database] ?? null : $pool;
        if (!is_string($name) || $name === '') {
            throw new InvalidArgumentException(
                "No 'pool' names the server pool of a Redis connection with database $database: "
                    . "set 'pool' in the options of config/database.php, or in the connection.",
            );
        }
        return $name;
    }
}

/**
 * Laravel's own connection, which ends what a failed call has left open. Laravel does not: after a
 * refused call, all later calls of a queue worker would go into its transaction or pipeline.
 */
final class OneHopConnection extends PhpRedisConnection
{
    public static function of(PhpRedisConnection $made): self
    {
        return new self($made->client, $made->connector, $made->config);
    }

    /**
     * Begins a transaction. Cache::putMany() takes one to save time, and needs none: in a pipeline
     * its keys may be on several nodes. Nothing but the caller's name tells it from a transaction
     * that somebody wants. A subclass of Laravel's store could override putMany() instead. But the
     * store is made without asking the connection, so each application would have to register that
     * class, too (Cache::extend), and putMany() would fail where this was forgotten.
     */
    public function multi(int $mode = \Redis::MULTI): \Redis
    {
        $caller = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS, 2)[1] ?? [];
        $isPutMany = ($caller['function'] ?? '') === 'putMany'
            && is_a($caller['class'] ?? '', RedisStore::class, true);
        return $this->command('multi', [$isPutMany ? \Redis::PIPELINE : $mode]);
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
