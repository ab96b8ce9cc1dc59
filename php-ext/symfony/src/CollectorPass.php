<?php

namespace OneHop\Symfony;

use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;

/** Gives the profiler our panel. An application without a profiler has no trace of it. */
final class CollectorPass implements CompilerPassInterface
{
    public function process(ContainerBuilder $container): void
    {
        if ($container->hasDefinition('profiler')) {
            $container->register('onehop.calls_collector', CallsCollector::class)
                ->addTag('data_collector', ['id' => 'onehop'])
                ->addTag('kernel.event_subscriber');
        }
    }
}
