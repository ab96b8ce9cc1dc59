<?php

/* A worker that takes jobs from a list, while the master of the list dies. No job is lost. */

use OneHop\Testing\OneHopServers;
use PHPUnit\Framework\TestCase;

final class QueueWorkerTest extends TestCase
{
    private const TODO = '{mails}:todo';
    private const DOING = '{mails}:doing';

    private OneHopServers $servers;
    private array $done = [];

    protected function tearDown(): void
    {
        $this->servers->close();
    }

    public function testJobsSurviveTheMasterThatSentinelsWatch(): void
    {
        $this->servers = OneHopServers::sentinels(1, ['hash_tag' => '{}']);
        $this->workThroughAFailover($this->servers->client());
    }

    public function testJobsSurviveTheMasterOfARedisCluster(): void
    {
        $this->servers = OneHopServers::cluster(2);
        $this->workThroughAFailover($this->servers->client());
    }

    private function workThroughAFailover(OneHop\Redis $redis): void
    {
        $jobs = array_map(static fn ($i) => "job $i", range(10, 29));
        $redis->lPush(self::TODO, ...$jobs);
        /* Jobs that the replica has not received would be lost with the master. */
        $this->servers->serverOf(self::TODO)->redis()->rawCommand('WAIT', '1', '30000');

        $this->work($redis, 5);
        $this->servers->failOver(self::TODO);
        do {
            $this->work($redis, 20);
        } while ($this->isSomethingLeft($redis));

        $this->assertSame($jobs, array_values(array_intersect($jobs, $this->done)));
    }

    /** Takes some jobs. Each passes through a list of the jobs that are being done. */
    private function work(OneHop\Redis $redis, int $most): void
    {
        for ($i = 0; $i < $most; $i++) {
            try {
                $job = $redis->rPopLPush(self::TODO, self::DOING);
                if ($job === false) {
                    $redis->rPopLPush(self::DOING, self::TODO); // This job remained after an error.
                } else {
                    $this->done[] = $job;
                    $redis->lRem(self::DOING, $job, 1);
                }
            } catch (OneHop\Exception) {
                usleep(10000); // The job is in one of the lists; at worst it is done twice.
            }
        }
    }

    private function isSomethingLeft(OneHop\Redis $redis): bool
    {
        try {
            return $redis->exists(self::TODO, self::DOING) > 0;
        } catch (OneHop\Exception) {
            return true;
        }
    }
}
