<?php

namespace OneHop\Symfony;

use Symfony\Component\Cache\Adapter\AbstractAdapter;
use Symfony\Component\Cache\Adapter\RedisAdapter;
use Symfony\Component\Cache\Adapter\RedisTagAwareAdapter;
use Symfony\Component\Cache\Adapter\TagAwareAdapter;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\SessionHandlerFactory;
use Symfony\Component\Lock\Store\StoreFactory as LockStores;
use Symfony\Component\Semaphore\Store\StoreFactory as SemaphoreStores;

/**
 * Symfony makes each service that has a DSN by one of a few static methods. Such services get our
 * methods instead, which call Symfony's for any other DSN: the DSN may be in an environment
 * variable, so it is known only when the service is made.
 */
final class DsnPass implements CompilerPassInterface
{
    private const FACTORIES = [
        AbstractAdapter::class . '::createConnection' => 'connection',
        RedisAdapter::class . '::createConnection' => 'connection',
        LockStores::class . '::createStore' => 'lockStore',
        SemaphoreStores::class . '::createStore' => 'semaphoreStore',
        SessionHandlerFactory::class . '::createHandler' => 'sessionHandler',
    ];

    public function process(ContainerBuilder $container): void
    {
        foreach ($container->getDefinitions() as $definition) {
            $ours = self::FACTORIES[$this->nameOf($definition->getFactory())] ?? null;
            if ($ours !== null) {
                $definition->setFactory([Services::class, $ours]);
            } elseif ($this->isTagAware($definition)) {
                $definition->setFactory([Services::class, 'tagAwareAdapter']);
                $definition->setClass(TagAwareAdapter::class);
            }
        }
    }

    private function nameOf(mixed $factory): string
    {
        return is_array($factory) && is_string($factory[0]) ? implode('::', $factory) : '';
    }

    private function isTagAware(Definition $definition): bool
    {
        return $definition->getClass() === RedisTagAwareAdapter::class
            && $definition->getFactory() === null
            && !$definition->isAbstract();
    }
}
