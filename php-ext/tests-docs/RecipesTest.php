<?php

/*
 * What a user relies on, as examples: the functions of docs/recipes.md run with
 * real redis-servers, and the results are checked. Each test has three empty nodes.
 */

require_once __DIR__ . '/recipes.php';

use PHPUnit\Framework\TestCase;

final class RecipesTest extends TestCase
{
    /** @var array<int, int> The ports of the nodes => their processes. */
    private array $nodes = [];
    private string $config;
    private OneHop\Redis $redis;

    protected function setUp(): void
    {
        for ($i = 0; $i < 3; $i++) {
            [$port, $process] = lab_redis_process();
            $this->nodes[$port] = $process;
        }
        $this->config = lab_config(array_keys($this->nodes), ['hash_tag' => '"{}"']);
        $this->redis = new OneHop\Redis('alpha', $this->config);
    }

    protected function tearDown(): void
    {
        array_map(Lab::stop(...), array_intersect($this->nodes, Lab::$processes));
    }

    public function testACartInOneTransaction(): void
    {
        add_to_cart($this->redis, '7', 'tea', 4);
        add_to_cart($this->redis, '7', 'tea', 4);

        $this->assertSame(['tea' => '2'], $this->redis->hGetAll('{cart:7}:products'));
        $this->assertSame('8', $this->redis->get('{cart:7}:sum'));
    }

    public function testACartOnTwoNodesIsRefusedAndNothingOfItIsExecuted(): void
    {
        [$one, $other] = $this->nameOfEach('');
        try {
            $this->redis->multi()->set($one, 'a')->set($other, 'b');
            $this->redis->exec();
            $this->fail('The transaction was executed.');
        } catch (OneHop\CrossNode $failure) {
            $this->assertFalse($failure->mayHaveExecuted());
        }
        $this->assertSame(0, (new OneHop\Redis('alpha', $this->config))->exists($one, $other));
    }

    public function testAPageThatSurvivesADeadNode(): void
    {
        $names = $this->nameOfEach('');
        $this->redis->mSet(array_combine($names, ['tea', 'milk', 'sugar']));
        $expected = array_combine($names, ['tea', null, 'sugar']);
        Lab::stop($this->nodes[$this->portOf($names[1])]);

        $this->assertSame($expected, product_texts($this->redis, $names));
    }

    public function testABatchOverAllNodesInTheCallersOrder(): void
    {
        $ids = $this->nameOfEach('user:');
        foreach ($ids as $id) {
            $this->redis->hSet("user:$id", 'id', $id);
        }
        $expected = [['id' => $ids[2]], ['id' => $ids[0]], [], ['id' => $ids[1]]];
        $this->assertSame($expected, users($this->redis, [$ids[2], $ids[0], 'none', $ids[1]]));
    }

    public function testWhatMayHaveExecuted(): void
    {
        [$page, $other] = $this->nameOfEach('visits:');
        $this->assertTrue(count_visit($this->redis, $page));
        Lab::stop($this->nodes[$this->portOf("visits:$page")]);
        $this->assertFalse(count_visit($this->redis, $page));

        // The node receives the command over an open connection, and never answers.
        $this->assertTrue(count_visit($this->redis, $other));
        Lab::signal($this->nodes[$this->portOf("visits:$other")], SIGSTOP);
        $this->assertNull(count_visit($this->redis, $other));
    }

    public function testALock(): void
    {
        $token = lock($this->redis, 'report', 60);
        $this->assertIsString($token);
        $this->assertNull(lock($this->redis, 'report', 60));

        $this->assertFalse(unlock($this->redis, 'report', 'of another process'));
        $this->assertTrue(unlock($this->redis, 'report', $token));
        $this->assertIsString(lock($this->redis, 'report', 60));
    }

    public function testARateLimitWithTwoKeysOfOneUser(): void
    {
        $allowed = array_map(fn () => is_allowed($this->redis, 'ada', 2, 100), range(1, 3));
        $this->assertSame([true, true, false], $allowed);
        $this->assertTrue(is_allowed($this->redis, 'bob', 2, 100));
        $this->assertGreaterThan(0, $this->redis->ttl('{requests:ada}:minute'));
    }

    public function testScanningAllKeys(): void
    {
        $keys = array_map(fn ($i) => 'user:' . md5($i), range(1, 300));
        $this->redis->mSet(array_fill_keys([...$keys, 'other'], 'value'));

        $found = iterator_to_array(each_key($this->redis, 'user:*'), false);
        $this->assertEqualsCanonicalizing($keys, $found);
        $this->assertNotContains(0, $this->redis->onEachNode('dbSize'), 'A node has no key.');
    }

    public function testAQueueWithUrgentJobs(): void
    {
        $this->redis->rPush('{jobs}:normal', 'first', 'second');
        $this->redis->rPush('{jobs}:urgent', 'now');

        $jobs = array_map(fn () => next_job($this->redis, 1), range(1, 4));
        $this->assertSame(['now', 'first', 'second', null], $jobs);
    }

    public function testASessionOfPhpredisGoesOn(): void
    {
        $port = $this->portOf('PHPREDIS_SESSION:abc');
        $before = ['session.save_handler' => 'redis', 'session.save_path' => "127.0.0.1:$port"];
        $after = [
            'session.save_handler' => 'onehop', 'session.save_path' => 'alpha',
            'onehop.config' => $this->config,
        ];
        $open = '<?php session_id("abc"); session_start();';
        $this->assertSame('', lab_run("$open \$_SESSION['name'] = 'Ada';", settings: $before));
        $this->assertSame('Ada', lab_run("$open echo \$_SESSION['name'];", settings: $after));
    }

    public function testAChangedFileWithoutAReload(): void
    {
        $page = '<?php $redis = new OneHop\Redis("alpha"); echo count($redis->onEachNode("ping"));';
        $request = lab_fpm(['onehop.config' => $this->config]);
        $this->assertSame('3', $request($page));

        $text = file_get_contents($this->config);
        replace_configuration($this->config, preg_replace('/^.* node-2\n/m', '', $text));
        for ($end = microtime(true) + 30; $request($page) !== '2';) {
            $this->assertLessThan($end, microtime(true), 'The file is not used.');
            usleep(100_000);
        }
        $this->expectException(InvalidArgumentException::class);
        replace_configuration($this->config, "alpha:\n  servers: none\n");
    }

    /** A name for each node: with $before in front, the name is a key of that node. */
    private function nameOfEach(string $before): array
    {
        $keys = array_values(lab_key_of_each($this->config, $before));
        return array_map(fn ($key) => substr($key, strlen($before)), $keys);
    }

    /** The port of the node that has the key. */
    private function portOf(string $key): int
    {
        return (new OneHop\Topology('alpha', $this->config))->locate($key)->port;
    }
}
