<?php

namespace OneHop\Testing;

/**
 * One redis-server of a test, which the test may stop, pause and start again. What it has in memory
 * is lost when it stops, as in a cache.
 */
final class TestServer
{
    private const PLAIN = "redis-server --bind 127.0.0.1 --save '' --appendonly no"
        . ' --repl-diskless-sync-delay 0';

    /** Its port on 127.0.0.1, which is the same after a new start. */
    public readonly int $port;
    private readonly string $directory;
    private int $pid = 0; // 0 if it does not run.
    private bool $isPaused = false;

    /** Its name is the one in the configuration: node-0, node-1 ... */
    private function __construct(
        private readonly Supervisor $supervisor,
        public readonly string $name,
        private readonly string $words, // Its command line, without the port.
        private readonly Port $reserved = new Port(),
    ) {
        $this->port = $reserved->number;
        $this->directory = "$supervisor->directory/$name";
        is_dir($this->directory) || mkdir($this->directory);
    }

    /** @internal Starts a redis-server, with more words for its command line. */
    public static function started(Supervisor $supervisor, string $name, string $words): self
    {
        do { // Again if another program, which reserves nothing, has taken the port.
            $server = new self($supervisor, $name, self::PLAIN . " $words");
        } while (!$server->launch());
        return $server;
    }

    /** @internal Starts a Sentinel with this configuration. */
    public static function startedSentinel(
        Supervisor $supervisor,
        string $name,
        string $text,
    ): self {
        $server = new self($supervisor, $name, 'redis-server sentinel.conf --sentinel');
        file_put_contents("$server->directory/sentinel.conf", $text);
        $server->start();
        return $server;
    }

    /** A plain connection of its own, to look at what the server has. */
    public function redis(): \Redis
    {
        $redis = new \Redis();
        $redis->connect('127.0.0.1', $this->port, 30, null, 0, 30);
        return $redis;
    }

    public function isRunning(): bool
    {
        return $this->pid !== 0;
    }

    /** Kills the server. Its connections break, and new ones are refused. */
    public function stop(): void
    {
        if ($this->isRunning()) {
            $this->supervisor->kill($this->pid);
            $this->pid = 0;
            $this->isPaused = false;
        }
    }

    /** Starts the server again, empty and at the same address, and waits until it answers. */
    public function start(): void
    {
        Waiting::until(
            "$this->name has its port again",
            fn () => $this->isRunning() || $this->launch(),
        );
    }

    /** Stops the server's process: it answers no one, but its connections stay. */
    public function pause(): void
    {
        if (!$this->isRunning()) {
            throw new \LogicException("$this->name does not run, so it cannot be paused");
        }
        $this->supervisor->signal($this->pid, 'STOP');
        $this->isPaused = true;
    }

    /** Lets the server go on after a pause. */
    public function resume(): void
    {
        if ($this->isPaused) {
            $this->supervisor->signal($this->pid, 'CONT');
            $this->isPaused = false;
        }
    }

    /** True if the server answers; false if another program has its port. */
    private function launch(): bool
    {
        $pid = $this->supervisor->start($this->directory, "$this->words --port $this->port");
        $isServing = false;
        Waiting::until(
            "$this->name answers, whose log is $this->directory/log",
            function () use ($pid, &$isServing) {
                return ($isServing = $this->isServing($pid)) || $this->hasNoPort();
            },
        );
        $this->pid = $isServing ? $pid : 0;
        $isServing || $this->supervisor->kill($pid);
        return $isServing;
    }

    private function isServing(int $pid): bool
    {
        try {
            return (int) $this->redis()->info('server')['process_id'] === $pid;
        } catch (\RedisException) {
            return false; // Not yet.
        }
    }

    private function hasNoPort(): bool
    {
        $log = (string) @file_get_contents("$this->directory/log");
        return str_contains($log, 'Failed listening on port');
    }
}
