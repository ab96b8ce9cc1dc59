<?php

namespace OneHop\Testing;

use OneHop\Redis;
use OneHop\Topology;

/**
 * Real redis-servers with a configuration of OneHop. They run on 127.0.0.1 and free ports, keep
 * nothing on disk, and end with this process, however it ends. They need a redis-server of
 * version 7 or later on the PATH.
 */
final class OneHopServers
{
    private const POOL = 'test';

    /** @param array<string, mixed> $directives more directives of the server pool. */
    private function __construct(private readonly Fleet $fleet, private readonly array $directives)
    {
        $fleet->start();
        file_put_contents($this->file(), $this->config());
        $this->awaitAnswers();
    }

    /** Starts servers that share the keys. */
    public static function ring(int $servers, array $directives = []): self
    {
        return new self(new Ring($servers), $directives);
    }

    /** Starts a Redis Cluster, in which each master has a replica. */
    public static function cluster(int $masters, array $directives = []): self
    {
        return new self(new Cluster($masters), $directives);
    }

    /** Starts masters with a replica each, and three Sentinels that watch them. */
    public static function sentinels(int $masters, array $directives = []): self
    {
        return new self(new WatchedMasters($masters), $directives);
    }

    /** The name of the server pool: test. */
    public function pool(): string
    {
        return self::POOL;
    }

    /** The path of the file with the configuration, for onehop.config and the like. */
    public function file(): string
    {
        return $this->fleet->supervisor->directory . '/onehop.yml';
    }

    /** The text of this file. */
    public function config(): string
    {
        $text = self::POOL . ":\n  engine: redis\n";
        foreach ($this->directives + $this->fleet->directives() as $name => $value) {
            $text .= "  $name: " . json_encode($value, JSON_UNESCAPED_SLASHES) . "\n";
        }
        $text .= "  servers:\n";
        foreach ($this->fleet->listed() as $server) {
            $text .= "    - 127.0.0.1:$server->port:1 $server->name\n";
        }
        return $text;
    }

    /** A new client of these servers. */
    public function client(): Redis
    {
        return new Redis(self::POOL, $this->file());
    }

    /** @return list<TestServer> all servers, with replicas, without Sentinels. */
    public function servers(): array
    {
        return $this->fleet->servers;
    }

    /** The server that has a key now: a master, if there are replicas. */
    public function serverOf(string $key): TestServer
    {
        return $this->fleet->master($this->topology(), $key);
    }

    /**
     * Kills the master of a key, and makes its replica take over at once. Without this method, the
     * servers that are left notice the death after four seconds.
     */
    public function failOver(string $key): void
    {
        $this->fleet->failOver($this->topology(), $key);
    }

    private function topology(): Topology
    {
        return new Topology(self::POOL, $this->file());
    }

    /** Brings back what a test has stopped or paused, and removes all keys. */
    public function reset(): void
    {
        foreach ($this->fleet->servers as $server) {
            $server->resume();
            if (!$server->isRunning()) {
                $server->start();
                $this->fleet->rejoin($server);
            }
        }
        $this->fleet->awaitWhole();
        foreach ($this->fleet->servers as $server) {
            if ($server->redis()->info('replication')['role'] === 'master') {
                $server->redis()->flushAll();
            }
        }
        $this->awaitAnswers();
    }

    /** Waits until a client reaches all nodes: a node that was down rests for a moment. */
    private function awaitAnswers(): void
    {
        $client = $this->client(); // A bad directive fails here, at once.
        Waiting::until('a client reaches all nodes', static function () use ($client) {
            try {
                return $client->dbSize() === 0;
            } catch (\RedisException) {
                return false;
            }
        });
    }

    /** Stops all servers and removes their files. */
    public function close(): void
    {
        $this->fleet->supervisor->close();
    }
}
