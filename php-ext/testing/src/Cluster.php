<?php

namespace OneHop\Testing;

use OneHop\Topology;

/**
 * A Redis Cluster: masters that share the slots evenly, and a replica of each.
 *
 * @internal
 */
final class Cluster extends Fleet
{
    private const SLOTS = 16384;

    /* On a busy machine a server may be silent for a second, and must not count as dead. */
    private const OPTIONS = '--cluster-enabled yes --cluster-node-timeout 4000'
        . ' --cluster-require-full-coverage no --cluster-allow-replica-migration no';

    /** @var list<Port> */
    private array $buses = [];

    public function directives(): array
    {
        return ['cluster' => true];
    }

    /** One seed is enough: it names the other servers. */
    public function listed(): array
    {
        return [$this->servers[0]];
    }

    public function start(): void
    {
        for ($i = 0; $i < 2 * $this->masters; $i++) {
            $this->buses[] = $bus = new Port();
            $this->add(self::OPTIONS . " --cluster-port $bus->number");
        }
        array_map($this->introduce(...), array_keys($this->servers));
        foreach (array_slice($this->servers, $this->masters) as $i => $replica) {
            self::follow($replica, $this->servers[$i]);
        }
        $this->awaitWhole();
    }

    /** Gives a server its epoch, and slots if it is a master; it then meets all earlier ones. */
    private function introduce(int $number): void
    {
        $server = $this->servers[$number];
        self::ask($server, 'SET-CONFIG-EPOCH', $number + 1);
        if ($number < $this->masters) {
            $first = intdiv(self::SLOTS * $number, $this->masters);
            $end = intdiv(self::SLOTS * ($number + 1), $this->masters);
            self::ask($server, 'ADDSLOTSRANGE', $first, $end - 1);
        }
        for ($other = 0; $other < $number; $other++) {
            $bus = $this->buses[$other]->number;
            self::ask($server, 'MEET', '127.0.0.1', $this->servers[$other]->port, $bus);
        }
    }

    private static function follow(TestServer $replica, TestServer $master): void
    {
        $id = self::ask($master, 'MYID');
        Waiting::until(
            'a replica knows its master',
            static fn () => str_contains(self::ask($replica, 'NODES'), $id),
        );
        self::ask($replica, 'REPLICATE', $id);
    }

    private static function ask(TestServer $server, string|int ...$words): mixed
    {
        return $server->redis()->rawCommand('CLUSTER', ...array_map(strval(...), $words));
    }

    public function awaitWhole(): void
    {
        Waiting::until(
            'all servers know the whole Redis Cluster',
            fn () => array_filter($this->servers, $this->isWhole(...)) === $this->servers,
        );
    }

    /** True if the server knows all servers and slots. A replica must also follow its master. */
    private function isWhole(TestServer $server): bool
    {
        $info = self::ask($server, 'INFO');
        $nodes = self::ask($server, 'NODES');
        return str_contains($info, 'cluster_state:ok')
            && str_contains($info, 'cluster_slots_ok:' . self::SLOTS)
            && substr_count($nodes, "\n") === count($this->servers)
            && !str_contains($nodes, 'fail')
            && substr_count($nodes, 'slave') === $this->masters
            && self::isMasterOrHasOne($server);
    }

    /** The server that claims the slot. A client may find out later. */
    public function master(Topology $topology, string $key): TestServer
    {
        $slot = Topology::slot($key);
        foreach ($this->servers as $server) {
            if ($server->isRunning() && self::claims($server, $slot)) {
                return $server;
            }
        }
        throw new \LogicException("no server has slot $slot");
    }

    private static function claims(TestServer $server, int $slot): bool
    {
        preg_match('/myself,master.*/', self::ask($server, 'NODES'), $line);
        foreach (array_slice(explode(' ', $line[0] ?? ''), 6) as $range) {
            [$first, $last] = explode('-', "$range-$range");
            if ($first <= $slot && $slot <= $last) {
                return true;
            }
        }
        return false;
    }

    public function failOver(Topology $topology, string $key): void
    {
        $master = $this->master($topology, $key);
        $replica = $this->replicaOf($master);
        $master->stop();
        Waiting::until("$replica->name takes over", static function () use ($replica) {
            /* With TAKEOVER the replica needs no votes. */
            self::ask($replica, 'FAILOVER', 'TAKEOVER');
            return $replica->redis()->info('replication')['role'] === 'master';
        });
    }

    private function replicaOf(TestServer $master): TestServer
    {
        $line = 'myself,slave ' . self::ask($master, 'MYID');
        foreach ($this->servers as $server) {
            if ($server->isRunning() && str_contains(self::ask($server, 'NODES'), $line)) {
                return $server;
            }
        }
        throw new \LogicException("$master->name has no replica");
    }
}
