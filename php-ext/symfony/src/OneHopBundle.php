<?php

namespace OneHop\Symfony;

use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\Compiler\PassConfig;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\HttpKernel\Bundle\Bundle;
use Symfony\Component\Messenger\Bridge\Redis\Transport\Connection;

/** Makes `onehop://` a DSN wherever Symfony takes `redis://`. It needs no configuration. */
final class OneHopBundle extends Bundle implements CompilerPassInterface
{
    public function build(ContainerBuilder $container): void
    {
        parent::build($container);
        // By then all definitions are complete, and none has become a part of another one.
        $container->addCompilerPass(new DsnPass(), PassConfig::TYPE_BEFORE_REMOVING);
        // Before the profiler looks for its panels.
        $container->addCompilerPass($this, PassConfig::TYPE_BEFORE_OPTIMIZATION, 1);
        if (class_exists(Connection::class)) {
            $container->register('onehop.messenger.transport_factory', TransportFactory::class)
                ->addTag('messenger.transport_factory');
        }
    }

    /** Gives the profiler our panel. An application without a profiler has no trace of it. */
    public function process(ContainerBuilder $container): void
    {
        if ($container->hasDefinition('profiler')) {
            $container->register('onehop.calls_collector', CallsCollector::class)
                ->addTag('data_collector', ['id' => 'onehop'])
                ->addTag('kernel.event_subscriber');
        }
    }

    public function getPath(): string
    {
        return dirname(__DIR__);
    }
}
