<?php

namespace OneHop\Symfony;

use Psr\Log\LoggerInterface;
use Symfony\Component\Cache\Adapter\AbstractAdapter;
use Symfony\Component\Cache\Adapter\RedisAdapter;
use Symfony\Component\Cache\Adapter\RedisTagAwareAdapter;
use Symfony\Component\Cache\Adapter\TagAwareAdapter;
use Symfony\Component\Cache\Adapter\TagAwareAdapterInterface;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\RedisSessionHandler;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\SessionHandlerFactory;
use Symfony\Component\Lock\PersistingStoreInterface as LockStore;
use Symfony\Component\Lock\Store\RedisStore as RedisLockStore;
use Symfony\Component\Lock\Store\StoreFactory as LockStores;
use Symfony\Component\Semaphore\PersistingStoreInterface as SemaphoreStore;
use Symfony\Component\Semaphore\Store\RedisStore as RedisSemaphoreStore;
use Symfony\Component\Semaphore\Store\StoreFactory as SemaphoreStores;

/** Makes the services that have a DSN. Every DSN but `onehop://` is left to Symfony. */
final class Services
{
    public static function connection(
        #[\SensitiveParameter] string $dsn,
        array $options = [],
    ): mixed {
        return Dsn::is($dsn)
            ? (new Dsn($dsn))->clientAlone()
            : AbstractAdapter::createConnection($dsn, $options);
    }

    public static function lockStore(#[\SensitiveParameter] object|string $connection): LockStore
    {
        return Dsn::is($connection)
            ? new RedisLockStore((new Dsn($connection))->clientAlone())
            : LockStores::createStore($connection);
    }

    public static function semaphoreStore(
        #[\SensitiveParameter] object|string $connection,
    ): SemaphoreStore {
        return Dsn::is($connection)
            ? new RedisSemaphoreStore((new Dsn($connection))->clientAlone())
            : SemaphoreStores::createStore($connection);
    }

    /** The DSN of a session may have `prefix` and `ttl`, as in Symfony. */
    public static function sessionHandler(
        #[\SensitiveParameter] object|string $connection,
        array $options = [],
    ): \SessionHandlerInterface {
        if (!Dsn::is($connection)) {
            return SessionHandlerFactory::createHandler($connection, $options);
        }
        $dsn = new Dsn($connection);
        $known = ['prefix' => 1, 'ttl' => 1];
        return new RedisSessionHandler(
            $dsn->clientWithoutPath(),
            $dsn->options + array_intersect_key($options, $known),
        );
    }

    /**
     * RedisTagAwareAdapter deletes the items of a tag by a script on the node of the tag, so items
     * on other nodes would stay valid. TagAwareAdapter keeps a version of each tag instead.
     */
    public static function tagAwareAdapter(
        object $redis,
        mixed ...$arguments,
    ): TagAwareAdapterInterface {
        if (!$redis instanceof \OneHop\Redis) {
            return new RedisTagAwareAdapter($redis, ...$arguments);
        }
        return new class (new RedisAdapter($redis, ...$arguments)) extends TagAwareAdapter {
            public function __construct(private RedisAdapter $items)
            {
                parent::__construct($items);
            }

            /** The inner adapter logs the failures of nodes, so it also needs the logger. */
            public function setLogger(LoggerInterface $logger): void
            {
                parent::setLogger($logger);
                $this->items->setLogger($logger);
            }
        };
    }
}
