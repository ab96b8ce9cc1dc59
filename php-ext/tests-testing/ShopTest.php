<?php

/* What a shop relies on: carts, pages, prices, limits and locks, on three nodes. */

use OneHop\Testing\OneHopServers;
use OneHop\Testing\UsesOneHop;
use PHPUnit\Framework\TestCase;

final class ShopTest extends TestCase
{
    use UsesOneHop;

    private OneHop\Redis $redis;

    protected static function startServers(): OneHopServers
    {
        return OneHopServers::ring(3, ['hash_tag' => '{}']);
    }

    protected function setUp(): void
    {
        $this->redis = self::servers()->client();
    }

    public function testACartChangesInOneTransaction(): void
    {
        $this->redis->multi()
            ->hIncrBy('{cart:7}:products', 'tea', 2)
            ->incrBy('{cart:7}:sum', 900)
            ->exec();

        $this->assertSame(['tea' => '2'], $this->redis->hGetAll('{cart:7}:products'));
        $this->assertSame('900', $this->redis->get('{cart:7}:sum'));
    }

    public function testATransactionOverTwoNodesChangesNothing(): void
    {
        [$one, $other] = self::onTwoNodes();
        try {
            $this->redis->multi()->incr($one)->incr($other)->exec();
            $this->fail('both carts were changed');
        } catch (OneHop\CrossNode) {
            $this->assertSame(0, self::servers()->client()->exists($one, $other));
        }
    }

    public function testAPageSurvivesADeadNode(): void
    {
        [$one, $other] = self::onTwoNodes();
        $this->redis->mSet([$one => 'green', $other => 'black']);
        self::servers()->serverOf($one)->stop();
        try {
            $this->redis->mGet([$one, $other]);
            $this->fail('a dead node has answered');
        } catch (OneHop\PartialBatch $failure) {
            $this->assertInstanceOf(OneHop\NodeDown::class, $failure->getReplies()[0]);
            $this->assertSame('black', $failure->getReplies()[1]);
        }
    }

    public function testAThousandPricesComeInOneBatch(): void
    {
        $batch = $this->redis->pipeline();
        foreach (range(0, 999) as $i) {
            $batch->hSet("product:$i", 'price', (string) $i);
        }
        $batch->exec();
        $batch = $this->redis->pipeline();
        foreach (range(0, 999) as $i) {
            $batch->hGet("product:$i", 'price');
        }

        $this->assertSame(array_map(strval(...), range(0, 999)), $batch->exec());
        foreach (self::servers()->servers() as $server) {
            $this->assertGreaterThan(100, $server->redis()->dbSize(), $server->name);
        }
    }

    public function testACallerMaySearchThreeTimesAMinute(): void
    {
        $maySearch = function (string $user): bool {
            $script = "local n = redis.call('INCR', KEYS[1])"
                . " if n == 1 then redis.call('EXPIRE', KEYS[1], 60) end return n";
            return $this->redis->eval($script, ["searches:$user"], 1) <= 3;
        };

        $this->assertSame(
            [true, true, true, false],
            array_map($maySearch, ['ada', 'ada', 'ada', 'ada']),
        );
        $this->assertTrue($maySearch('bob'));
        $this->assertGreaterThan(0, $this->redis->ttl('searches:ada'));
    }

    public function testOneProcessAtATimeSendsTheNewsletter(): void
    {
        $lock = fn (string $token) =>
            $this->redis->set('lock:newsletter', $token, ['NX', 'EX' => 60]);
        $unlock = fn (string $token) => $this->redis->eval(
            "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0",
            ['lock:newsletter', $token],
            1,
        );

        $this->assertTrue($lock('mine'));
        $this->assertFalse($lock("another's"));
        $this->assertSame(0, $unlock("another's"));
        $this->assertSame(1, $unlock('mine'));
        $this->assertTrue($lock("another's"));
    }

    /** Two keys that different servers have. */
    private static function onTwoNodes(): array
    {
        $first = self::servers()->serverOf('product:0');
        for ($i = 1; self::servers()->serverOf("product:$i") === $first; $i++);
        return ['product:0', "product:$i"];
    }
}
