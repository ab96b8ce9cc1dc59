<?php
/*
 * A php-fpm worker with a ledger: what it has written to each of its keys, and what was
 * acknowledged. It writes and reads until the file `stop` exists, while slots move and masters die,
 * and prints its findings as JSON. Ledger.java is its twin in Java.
 *
 * The values of a key are numbered: `KEY=7`. If a write fails, the failure says whether its number
 * may be stored. So a read must return a number from the last one that was seen or
 * acknowledged to the last one that was tried.
 *
 *     wrong   another key's value, a number that was never tried, a number that was not sent as its
 *             failure said; for a write any reply but OK
 *     lost    a number below the one that was acknowledged
 *
 * A batch writes some keys and reads others, so each slot occurs in it at most once. While the file
 * `pairs` exists it writes and reads the same keys, to check the order of commands on one key.
 */
declare(strict_types=1);

if ($_GET['job'] === 'status') {
    $nodes = array_merge(...array_column(OneHop\Topology::status(), 'nodes'));
    exit((string) array_sum(array_column($nodes, 'redirects')));
}

final class Ledger
{
    private const WRITES = 100; /* Writes in a batch; there are as many reads. */
    private const CLIENT_BATCHES = 50; /* Batches of one client, as if they were one request. */
    private const PAUSE_US = 5000; /* After each batch, if the file `calm` exists. */

    public array $told = [
        'batches' => 0, 'writes' => 0, 'reads' => 0, 'wrong' => [], 'lost' => [], 'failures' => [],
    ];
    /** @var array<string, int> */
    private array $tried;
    /** @var array<string, int> Acknowledged, or seen. */
    private array $known;
    /** @var array<string, float> When it was acknowledged or seen. */
    private array $since = [];
    /** @var array<string, true> Values that were not sent, as their failures said. */
    private array $never = [];
    private OneHop\Redis $redis;

    /** @param list<string> $keys */
    public function __construct(private array $keys)
    {
        $this->tried = $this->known = array_fill_keys($keys, 0);
    }

    public function run(string $directory): void
    {
        while (!file_exists("$directory/stop")) {
            if ($this->told['batches']++ % self::CLIENT_BATCHES === 0) {
                $this->redis = new OneHop\Redis('alpha');
            }
            $this->batch(file_exists("$directory/pairs"));
            [$written, $read] = $this->chosen(2);
            $this->call([$written], [], fn () => [
                $this->redis->set($written, $this->next($written)),
            ]);
            $this->call([], [$read], fn () => [$this->redis->get($read)]);
            if (file_exists("$directory/calm")) {
                usleep(self::PAUSE_US);
            }
        }
        $this->redis = new OneHop\Redis('alpha');
        foreach (array_chunk($this->keys, 500) as $keys) {
            $this->call([], $keys, fn () => $this->redis->mGet($keys));
        }
    }

    /** @return list<string> $count of the keys, at random. */
    private function chosen(int $count): array
    {
        for ($chosen = []; count($chosen) < $count;) {
            $chosen[mt_rand(0, count($this->keys) - 1)] = true;
        }
        return array_map(fn ($number) => $this->keys[$number], array_keys($chosen));
    }

    private function batch(bool $in_pairs): void
    {
        $chosen = $this->chosen(2 * self::WRITES);
        $written = array_slice($chosen, 0, self::WRITES);
        $read = $in_pairs ? $written : array_slice($chosen, self::WRITES);
        $this->call($written, $read, function () use ($written, $read) {
            $pipeline = $this->redis->pipeline();
            foreach ($written as $i => $key) {
                $pipeline->set($key, $this->next($key))->get($read[$i]);
            }
            $replies = array_chunk($pipeline->exec(), 2);
            return [...array_column($replies, 0), ...array_column($replies, 1)];
        });
    }

    private function next(string $key): string
    {
        return "$key=" . ++$this->tried[$key];
    }

    /** Calls $do and checks its replies: first those of the writes, then those of the reads. */
    private function call(array $written, array $read, callable $do): void
    {
        $begun = microtime(true);
        try {
            $replies = $do();
        } catch (OneHop\PartialBatch $e) {
            $replies = $e->getReplies();
            if ($written && $read) {
                $pairs = array_chunk($replies, 2);
                $replies = [...array_column($pairs, 0), ...array_column($pairs, 1)];
            }
            foreach ($e->getFailures() as $failure) {
                $this->fail($begun, $failure, 'part of a batch');
            }
            usleep(10000);
        } catch (OneHop\Exception $e) {
            $replies = array_fill(0, count($written) + count($read), $e);
            $this->fail($begun, $e, count($replies) > 1 ? 'batch' : ($written ? 'write' : 'read'));
            usleep(10000);
        }
        foreach ($written as $i => $key) {
            $this->wrote($key, $replies[$i]);
        }
        foreach ($read as $i => $key) {
            $this->found($key, $replies[count($written) + $i]);
        }
    }

    private function fail(float $begun, OneHop\Exception $e, string $what): void
    {
        $this->told['failures'][] = [
            $begun, microtime(true), $e->getKind(), $e->mayHaveExecuted(), $e->getNode(), $what,
            substr($e->getMessage(), 0, 300),
        ];
    }

    private function wrote(string $key, mixed $reply): void
    {
        $number = $this->tried[$key];
        if ($reply === true) {
            $this->told['writes']++;
            $this->known[$key] = max($this->known[$key], $number);
            $this->since[$key] = microtime(true);
        } elseif (!$reply instanceof OneHop\Exception) {
            $this->told['wrong'][] = "SET $key $number: " . var_export($reply, true);
        } elseif (!$reply->mayHaveExecuted()) {
            $this->never["$key=$number"] = true;
        }
    }

    private function found(string $key, mixed $reply): void
    {
        if ($reply instanceof OneHop\Exception) {
            return;
        }
        $this->told['reads']++;
        $number = match (true) {
            $reply === false => 0,
            is_string($reply) && str_starts_with($reply, "$key=")
                => (int) substr($reply, strlen($key) + 1),
            default => -1,
        };
        if ($number < 0 || $number > $this->tried[$key] || isset($this->never[(string) $reply])) {
            $this->told['wrong'][] = "GET $key, {$this->known[$key]} to {$this->tried[$key]}: "
                . var_export($reply, true);
            return;
        }
        if ($number < $this->known[$key]) {
            $this->told['lost'][] = [
                $this->since[$key],
                microtime(true),
                "$key is $number, not {$this->known[$key]}",
            ];
        }
        if ($number !== $this->known[$key]) {
            $this->known[$key] = $number;
            $this->since[$key] = microtime(true);
        }
    }
}

set_time_limit(0);
$tags = explode(',', file_get_contents("$_GET[directory]/tags"));
$ledger = new Ledger(array_map(static fn ($tag) => "{{$tag}}$_GET[name]", $tags));
$ledger->run($_GET['directory']);
echo json_encode($ledger->told);
