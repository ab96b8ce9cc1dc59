<?php

/* Servers that tests stop and pause, and what remains when a test or its process has ended. */

use OneHop\Testing\OneHopServers;
use OneHop\Testing\UsesOneHop;
use OneHop\Testing\Waiting;
use PHPUnit\Framework\TestCase;

final class OneHopServersTest extends TestCase
{
    use UsesOneHop;

    protected static function startServers(): OneHopServers
    {
        return OneHopServers::ring(2);
    }

    public function testAStoppedNodeIsDown(): void
    {
        self::servers()->client()->set('key', 'value');
        self::servers()->serverOf('key')->stop();
        $this->expectException(OneHop\NodeDown::class);
        self::servers()->client()->get('key');
    }

    /** @depends testAStoppedNodeIsDown */
    public function testTheNextTestBeginsWithAllServersAndWithoutKeys(): void
    {
        $this->assertFalse(self::servers()->client()->get('key'));
        $this->assertSame(0, self::servers()->client()->dbSize());
    }

    public function testAPausedNodeMakesCallersWait(): void
    {
        $some = OneHopServers::ring(1, ['timeout' => 2000]);
        $some->serverOf('key')->pause();
        try {
            $some->client()->get('key');
            $this->fail('a paused node has answered');
        } catch (OneHop\DeadlineExceeded) {
            $some->reset();
            $this->assertFalse($some->client()->get('key'));
        } finally {
            $some->close();
        }
    }

    public function testANodeIsStartedAgainDuringATest(): void
    {
        $server = self::servers()->serverOf('key');
        $port = $server->port;
        $server->stop();
        $server->start();
        $this->assertTrue($server->redis()->ping());
        $this->assertSame($port, $server->port);
    }

    public function testABadDirectiveIsToldAtOnce(): void
    {
        $this->expectException(OneHop\ConfigInvalid::class);
        OneHopServers::ring(1, ['timeot' => 300]);
    }

    public static function withReplicas(): iterable
    {
        yield 'Sentinels' => [static fn () => OneHopServers::sentinels(1)];
        yield 'a Redis Cluster' => [static fn () => OneHopServers::cluster(2)];
    }

    /** @dataProvider withReplicas */
    public function testAllServersAreThereAgainAfterAFailover(Closure $start): void
    {
        $some = $start();
        $before = $some->serverOf('key');
        $some->failOver('key');
        $this->assertNotSame($before, $some->serverOf('key'));
        $some->reset();
        $some->client()->set('key', 'value');
        $this->assertSame('up', $before->redis()->info('replication')['master_link_status']);
        $some->close();
    }

    public function testNothingIsLeftOfAProcessThatIsKilled(): void
    {
        $program = <<<'PHP'
            require $argv[1];
            $servers = OneHop\Testing\OneHopServers::ring(1);
            $pid = $servers->servers()[0]->redis()->info('server')['process_id'];
            echo "$pid ", dirname($servers->file()), "\n";
            sleep(60);
            PHP;
        $folder = sys_get_temp_dir() . '/' . bin2hex(random_bytes(8));
        $foreign = "$folder/My"; // A shell that splits $own at its space would find this folder.
        $own = "$folder/My Job's";
        mkdir($foreign, recursive: true);
        mkdir($own);
        $process = proc_open(
            [PHP_BINARY, ...self::extension(), '-r', $program, '--', __DIR__ . '/autoload.php'],
            [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]],
            $pipes,
            env_vars: ['TMPDIR' => $own] + getenv(),
        );
        [$pid, $directory] = explode(' ', trim(fgets($pipes[1])), 2);
        proc_terminate($process, 9);
        Waiting::until('the server and its files are gone', static function () use (
            $pid,
            $directory,
        ) {
            clearstatcache();
            return !is_dir("/proc/$pid") && !is_dir($directory);
        });
        $this->assertDirectoryDoesNotExist($directory);
        $this->assertStringStartsWith($own, $directory);
        $this->assertDirectoryExists($foreign);
        array_map(rmdir(...), [$own, $foreign, $folder]);
    }

    /** The arguments by which this process loads the extension; none if php.ini does. */
    private static function extension(): array
    {
        $words = explode("\0", file_get_contents('/proc/self/cmdline'));
        return preg_grep('/^extension=/', $words)
            ? ['-d', current(preg_grep('/^extension=/', $words))]
            : [];
    }
}
