<?php

namespace OneHop\Symfony;

use OneHop\Topology;
use Symfony\Bundle\FrameworkBundle\DataCollector\AbstractDataCollector;
use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\DataCollector\LateDataCollectorInterface;
use Symfony\Component\HttpKernel\Event\RequestEvent;
use Symfony\Component\HttpKernel\KernelEvents;

/**
 * For the profiler: the calls of each node that a request has made, by all clients of its process.
 * The extension counts the calls of a process. The calls of a request are the difference between
 * the counts at its end and at its beginning. Symfony saves the session after collect(), so
 * lateCollect() takes the difference. Calls of a subrequest count as calls of its main request.
 */
final class CallsCollector extends AbstractDataCollector implements
    EventSubscriberInterface,
    LateDataCollectorInterface
{
    private const COUNTS = ['calls' => 0, 'errors' => 0, 'time' => 0];

    private ?Request $request = null;
    private array $before = [];
    private bool $isMain = false;

    public static function getSubscribedEvents(): array
    {
        return [KernelEvents::REQUEST => ['begin', 4096]];
    }

    public static function getTemplate(): ?string
    {
        return '@OneHop/calls.html.twig';
    }

    public function getName(): string
    {
        return 'onehop';
    }

    public function begin(RequestEvent $event): void
    {
        if ($event->isMainRequest()) {
            $this->request = $event->getRequest();
            $this->before = array_column(self::nodes(), null, 'id');
        }
    }

    public function collect(
        Request $request,
        Response $response,
        ?\Throwable $exception = null,
    ): void {
        $this->isMain = $request === $this->request;
    }

    public function lateCollect(): void
    {
        if (!$this->isMain) {
            return;
        }
        $this->data = [];
        foreach (self::nodes() as $node) {
            $before = $this->before[$node['id']] ?? self::COUNTS;
            $isAnew = $node['calls'] < $before['calls']; // Counting began again.
            foreach ($isAnew ? [] : self::COUNTS as $name => $zero) {
                $node[$name] -= $before[$name];
            }
            $this->data[$node['pool']][] = $node;
        }
        $this->data = array_filter($this->data, static fn ($nodes) => self::sum($nodes)['calls']);
    }

    public function reset(): void
    {
        parent::reset();
        [$this->request, $this->before, $this->isMain] = [null, [], false];
    }

    /** @return array<string, list<array>> The server pools that were asked, with all nodes. */
    public function getPools(): array
    {
        return $this->data;
    }

    /** @return array{calls: int, errors: int, time: int} `time` in microseconds. */
    public function getTotals(): array
    {
        return self::sum(array_merge([], ...array_values($this->data)));
    }

    private static function sum(array $nodes): array
    {
        return array_map(
            static fn ($name) => array_sum(array_column($nodes, $name)),
            array_combine(array_keys(self::COUNTS), array_keys(self::COUNTS)),
        );
    }

    private static function nodes(): array
    {
        $nodes = [];
        foreach (Topology::status() as $pool) {
            $title = "{$pool['pool']} of {$pool['path']}";
            foreach ($pool['nodes'] as $node) {
                $nodes[] = [
                    'id' => "$title {$node['node']}",
                    'pool' => $title,
                    'node' => $node['node'],
                    'address' => $node['address'],
                    'role' => $node['role'],
                    'state' => $node['state'],
                    'reason' => $node['reason'],
                ] + $node['process'];
            }
        }
        return $nodes;
    }
}
