<?php

namespace OneHop\Laravel;

use Illuminate\Redis\Connections\PhpRedisConnection;
use Illuminate\Redis\Connectors\PhpRedisConnector;
use Illuminate\Support\Arr;
use InvalidArgumentException;

/**
 * Laravel's own connector with another client. Hosts, ports, passwords and timeouts come from
 * OneHop's configuration file. The database is the one that the connection names.
 */
final class Connector extends PhpRedisConnector
{
    private const OPTIONS = [
        'prefix' => \Redis::OPT_PREFIX,
        'read_timeout' => \Redis::OPT_READ_TIMEOUT,
        'scan' => \Redis::OPT_SCAN,
        'serializer' => \Redis::OPT_SERIALIZER,
        'compression' => \Redis::OPT_COMPRESSION,
        'compression_level' => \Redis::OPT_COMPRESSION_LEVEL,
    ];

    /** `$defaults` has `pool` and `config` for connections that do not name their own. */
    public function __construct(private array $defaults = [])
    {
    }

    /** Options override settings of the connection, except for `pool` and `config`. */
    public function connect(array $config, array $options): PhpRedisConnection
    {
        return Connection::of(parent::connect(
            $config,
            array_merge($options, Arr::only($config, ['pool', 'config'])),
        ));
    }

    /** A cluster in Laravel's configuration becomes a server pool, too. */
    public function connectToCluster(
        array $config,
        array $clusterOptions,
        array $options,
    ): PhpRedisConnection {
        return $this->connect([], array_merge($options, $clusterOptions));
    }

    protected function createClient(array $config): \OneHop\Redis
    {
        $config += $this->defaults;
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
                "No server pool is named for a Redis connection with database $database: set "
                    . "REDIS_POOL in .env, or 'pool' in the connection or in the options of "
                    . 'config/database.php.',
            );
        }
        return $name;
    }
}
