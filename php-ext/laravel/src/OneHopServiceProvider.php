<?php

/*
 * Laravel finds this class by composer.json. With REDIS_CLIENT=onehop all Redis connections of the
 * application are OneHop's. Then this class also changes how Laravel uses keys of several nodes:
 * queues and Horizon get tags, many cache items are written in a pipeline, and broadcasts are
 * published call by call.
 */

namespace OneHop\Laravel;

use Illuminate\Broadcasting\BroadcastManager;
use Illuminate\Cache\CacheManager;
use Illuminate\Contracts\Config\Repository as Config;
use Illuminate\Contracts\Container\Container;
use Illuminate\Queue\QueueManager;
use Illuminate\Queue\RedisQueue;
use Illuminate\Redis\RedisManager;
use Illuminate\Support\ServiceProvider;

final class OneHopServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->mergeConfigFrom(__DIR__ . '/../config/onehop.php', 'onehop');
        $config = $this->app['config'];
        $this->callAfterResolving('redis', fn (RedisManager $redis) => $redis->extend(
            'onehop',
            fn () => new Connector($config->get('onehop')),
        ));
        if ($config->get('database.redis.client') !== 'onehop') {
            return;
        }
        $this->callAfterResolving('cache', $this->extendCaches(...));
        $this->callAfterResolving(BroadcastManager::class, $this->extendBroadcasts(...));
        $this->app->booting(function () use ($config) { // Horizon has registered its services.
            $this->tagHorizon($config);
            if (!method_exists(RedisQueue::class, 'getQueueRedisKey')) {
                $this->callAfterResolving('queue', $this->tagQueues(...));
            }
        });
    }

    private function extendCaches(CacheManager $caches): void
    {
        $caches->extend('redis', function (Container $app, array $config) use ($caches) {
            $connection = $config['connection'] ?? 'default';
            $settings = $app['config'];
            $store = new CacheStore(
                $app['redis'],
                $config['prefix'] ?? $settings->get('cache.prefix', ''),
                $connection,
                // The classes that Laravel 13 may unserialize from the cache.
                $config['serializable_classes'] ?? $settings->get('cache.serializable_classes'),
            );
            $store->setLockConnection($config['lock_connection'] ?? $connection);
            return $caches->repository($store, $config);
        });
    }

    private function extendBroadcasts(BroadcastManager $broadcasts): void
    {
        $broadcasts->extend('redis', fn (Container $app, array $config) => new Broadcaster(
            $app['redis'],
            $config['connection'] ?? null,
            $app['config']->get('database.redis.options.prefix', ''),
        ));
    }

    /** In later versions of Laravel 13 queues tag their keys themselves. */
    private function tagQueues(QueueManager $queues): void
    {
        $isHorizon = $this->app->getProvider('Laravel\Horizon\HorizonServiceProvider') !== null;
        $class = $isHorizon ? HorizonQueue::class : Queue::class;
        $queues->addConnector(
            'redis',
            fn () => new QueueConnector($this->app['redis'], $class),
        );
    }

    /** Horizon's scripts and transactions use several keys at once, some of them undeclared. */
    private function tagHorizon(Config $config): void
    {
        $prefix = $config->get('database.redis.horizon.options.prefix');
        if (is_string($prefix) && Connection::tagged($prefix) !== $prefix) {
            $tagged = Connection::tagged(rtrim($prefix, ':')) . ':';
            $config->set('horizon.prefix', $tagged);
            $config->set('database.redis.horizon.options.prefix', $tagged);
        }
    }
}
