<?php

namespace OneHop\Testing;

use OneHop\Topology;

/**
 * Masters with a replica each, and three Sentinels that watch them.
 *
 * @internal
 */
final class WatchedMasters extends Fleet
{
    private const SENTINELS = 3;

    /* Sentinels notice changes soon, and do not pause for 30 s after a busy moment of the host. */
    private const QUICK = [
        'TILT-TRIGGER', '60000', 'PUBLISH-PERIOD', '1000', 'INFO-PERIOD', '1000',
    ];

    /** @var list<TestServer> */
    private array $sentinels = [];

    public function directives(): array
    {
        return ['sentinels' => array_map(
            static fn ($sentinel) => "127.0.0.1:$sentinel->port",
            $this->sentinels,
        )];
    }

    /** The servers that were masters at the beginning. */
    public function listed(): array
    {
        return array_slice($this->servers, 0, $this->masters);
    }

    public function start(): void
    {
        for ($i = 0; $i < 2 * $this->masters; $i++) {
            $this->add('');
        }
        foreach (array_slice($this->servers, $this->masters) as $i => $replica) {
            self::follow($replica, $this->servers[$i]->port);
        }
        $isLinked = self::isMasterOrHasOne(...);
        Waiting::until(
            'the replicas have copied their masters',
            fn () => array_filter($this->servers, $isLinked) === $this->servers,
        );
        for ($i = 0; $i < self::SENTINELS; $i++) {
            $name = "sentinel-$i";
            $this->sentinels[] = $sentinel =
                TestServer::startedSentinel($this->supervisor, $name, $this->text($i));
            self::ask($sentinel, 'DEBUG', ...self::QUICK);
        }
        $this->awaitWhole();
    }

    private static function follow(TestServer $replica, int $master): void
    {
        $replica->redis()->rawCommand('REPLICAOF', '127.0.0.1', (string) $master);
    }

    /** The configuration of a Sentinel. It names the earlier ones, so it need not find them. */
    private function text(int $number): string
    {
        $text = "bind 127.0.0.1\nprotected-mode no\nsentinel myid " . self::id($number) . "\n";
        foreach ($this->listed() as $master) {
            /* On a busy machine a server may be silent for a second, and must not count as dead. */
            $text .= "sentinel monitor $master->name 127.0.0.1 $master->port 2\n"
                . "sentinel down-after-milliseconds $master->name 4000\n"
                . "sentinel failover-timeout $master->name 3000\n";
            foreach ($this->sentinels as $other => $sentinel) {
                $text .= "sentinel known-sentinel $master->name 127.0.0.1 $sentinel->port "
                    . self::id($other) . "\n";
            }
        }
        return $text;
    }

    private static function id(int $sentinel): string
    {
        return str_repeat((string) ($sentinel + 1), 40);
    }

    public function rejoin(TestServer $server): void
    {
        $number = array_search($server, $this->servers, true) % $this->masters;
        $master = $this->masterOf("node-$number");
        if ($master !== $server->port) {
            self::follow($server, $master);
        }
    }

    public function awaitWhole(): void
    {
        Waiting::until('the Sentinels know all servers', $this->isWhole(...));
    }

    private function isWhole(): bool
    {
        foreach ($this->listed() as $master) {
            foreach ($this->sentinels as $sentinel) {
                if (!self::knows($sentinel, $master->name)) {
                    return false;
                }
            }
        }
        return array_filter($this->servers, self::isMasterOrHasOne(...)) === $this->servers;
    }

    private static function knows(TestServer $sentinel, string $name): bool
    {
        $said = self::ask($sentinel, 'MASTER', $name);
        $state = [];
        foreach (array_chunk($said ?: [], 2) as [$field, $value]) {
            $state[$field] = $value;
        }
        $replicas = json_encode(self::ask($sentinel, 'REPLICAS', $name));
        return ($state['flags'] ?? '') === 'master'
            && (int) $state['num-other-sentinels'] === self::SENTINELS - 1
            && str_contains($replicas, '"master-link-status","ok"');
    }

    private function masterOf(string $name): int
    {
        return (int) self::ask($this->sentinels[0], 'GET-MASTER-ADDR-BY-NAME', $name)[1];
    }

    private static function ask(TestServer $sentinel, string ...$words): mixed
    {
        return $sentinel->redis()->rawCommand('SENTINEL', ...$words);
    }

    public function master(Topology $topology, string $key): TestServer
    {
        return $this->byPort($this->masterOf($topology->locate($key)->name));
    }

    public function failOver(Topology $topology, string $key): void
    {
        $name = $topology->locate($key)->name;
        $master = $this->master($topology, $key);
        $this->awaitWhole();
        $master->stop();
        Waiting::until("the replica of $name takes over", function () use ($name, $master) {
            try {
                self::ask($this->sentinels[0], 'FAILOVER', $name);
            } catch (\RedisException) {
                /* A failover is under way. The Sentinel may give it up, so it is asked again. */
            }
            return $this->masterOf($name) !== $master->port;
        });
    }
}
