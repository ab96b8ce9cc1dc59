<?php

namespace OneHop\Testing;

use OneHop\Topology;

/**
 * Servers that belong together. The subclasses are the kinds of such servers.
 *
 * @internal
 */
abstract class Fleet
{
    public readonly Supervisor $supervisor;
    /** @var list<TestServer> Without Sentinels. */
    public array $servers = [];

    public function __construct(protected readonly int $masters)
    {
        $this->supervisor = new Supervisor();
    }

    /** Starts the servers, and waits until they know each other. */
    abstract public function start(): void;

    /** @return array<string, mixed> the directives that this kind needs. */
    public function directives(): array
    {
        return [];
    }

    /** @return list<TestServer> the elements of `servers:`. */
    public function listed(): array
    {
        return $this->servers;
    }

    /** The server that has a key now. */
    public function master(Topology $topology, string $key): TestServer
    {
        return $this->byPort($topology->locate($key)->port);
    }

    /** Kills this server, and lets its replica take over. */
    public function failOver(Topology $topology, string $key): void
    {
        throw new \LogicException('these servers have no replicas');
    }

    /** Called with a server that was stopped and runs again. */
    public function rejoin(TestServer $server): void
    {
    }

    /** Waits until the servers know each other again. */
    public function awaitWhole(): void
    {
    }

    protected function add(string $words): TestServer
    {
        $name = 'node-' . count($this->servers);
        return $this->servers[] = TestServer::started($this->supervisor, $name, $words);
    }

    protected function byPort(int $port): TestServer
    {
        return array_column($this->servers, null, 'port')[$port]
            ?? throw new \LogicException("no server has port $port");
    }

    /** True for a master, and for a replica that follows its master already. */
    protected static function isMasterOrHasOne(TestServer $server): bool
    {
        $told = $server->redis()->info('replication');
        return $told['role'] === 'master' || $told['master_link_status'] === 'up';
    }
}
