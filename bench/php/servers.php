<?php
/*
 * The servers of JobsBench: four nodes, a Redis Cluster and nutcrackers, started by bench/jobs.py.
 *
 * PHPBench runs every iteration in a process of its own. These processes learn from a file where
 * the servers are: the plan of a worker. If the file is removed, or not used for a minute, the
 * servers end.
 */
declare(strict_types=1);

final class Servers
{
    /** Names of bench/contestants.py; PHPBench wants them before the servers have started. */
    public const CONTESTANTS = [
        'php.onehop', 'php.phpredis', 'php.array', 'php.predis', 'php.proxy.1', 'php.proxy.15',
        'php.onehop.cluster', 'php.cluster', 'php.cached', 'php.predis.cluster',
    ];
    private const PATH = __DIR__ . '/plan.running';
    private const WAIT_SECONDS = 60;

    public static function start(): void
    {
        self::stop();
        $program = escapeshellarg(dirname(__DIR__) . '/jobs.py');
        $log = escapeshellarg(self::PATH . '.log');
        exec("/usr/bin/python3 $program --serve " . escapeshellarg(self::PATH) . " >$log 2>&1 &");
        for ($until = time() + self::WAIT_SECONDS; !file_exists(self::PATH); usleep(100_000)) {
            clearstatcache();
            if (time() > $until) {
                throw new RuntimeException('no servers: ' . file_get_contents(self::PATH . '.log'));
            }
        }
    }

    public static function stop(): void
    {
        if (file_exists(self::PATH)) {
            unlink(self::PATH);
        }
    }

    public static function plan(): Plan
    {
        touch(self::PATH);
        return new Plan(self::PATH);
    }
}
