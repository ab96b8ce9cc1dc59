<?php
/*
 * The PHP contestants: the same 1000 HGETs by OneHop, by stock phpredis through nutcracker, and by
 * stock phpredis node after node.
 *
 * A worker of the benchmark; bench/workers.py describes the protocol. All contestants use the same
 * phpredis, build their pipelines inside the measured time and end with the values in an array.
 * "sequential" gets the keys grouped by node and need not restore the caller's order: the rival at
 * its best.
 */
declare(strict_types=1);

// Every key k has a hash whose field holds "name of k".
const FIELD = 'name';

final class Plan
{
    public int $size;
    /** @var array<string, string[]> Name to kind and words. */
    public array $contestants = [];
    /** @var string[][] The keys of each batch. */
    public array $batches;
    /** @var array<string, int> Key to index of its node. */
    public array $nodeOf = [];

    public function __construct(string $path)
    {
        foreach (file($path, FILE_IGNORE_NEW_LINES) as $line) {
            $words = explode(' ', $line);
            match (array_shift($words)) {
                'batch' => $this->size = (int) $words[0],
                'contestant' => $this->contestants[$words[0]] = array_slice($words, 1),
                'key' => $this->nodeOf[$words[0]] = (int) $words[1],
            };
        }
        $this->batches = array_chunk(array_keys($this->nodeOf), $this->size);
    }
}

interface Contestant
{
    /** What a batch needs before the clock starts. */
    public function prepare(array $keys): void;

    /** The measured part. */
    public function run(): array;

    /** The keys in the order of run()'s values. */
    public function order(): array;
}

/** One pipeline on one client: OneHop, or a plain \Redis connected to a node or a nutcracker. */
final class OnePipeline implements Contestant
{
    private array $keys;

    public function __construct(private \Redis $redis)
    {
    }

    public function prepare(array $keys): void
    {
        $this->keys = $keys;
    }

    public function run(): array
    {
        $pipeline = $this->redis->pipeline();
        foreach ($this->keys as $key) {
            $pipeline->hGet($key, FIELD);
        }
        return $pipeline->exec();
    }

    public function order(): array
    {
        return $this->keys;
    }
}

/** One pipeline per node, one node after the other. */
final class NodeAfterNode implements Contestant
{
    private array $groups;

    /** @param \Redis[] $nodes */
    public function __construct(private array $nodes, private array $nodeOf)
    {
    }

    public function prepare(array $keys): void
    {
        $this->groups = array_fill(0, count($this->nodes), []);
        foreach ($keys as $key) {
            $this->groups[$this->nodeOf[$key]][] = $key;
        }
    }

    public function run(): array
    {
        $values = [];
        foreach ($this->groups as $node => $keys) {
            $pipeline = $this->nodes[$node]->pipeline();
            foreach ($keys as $key) {
                $pipeline->hGet($key, FIELD);
            }
            $values[] = $pipeline->exec();
        }
        return array_merge(...$values);
    }

    public function order(): array
    {
        return array_merge(...$this->groups);
    }
}

function connected(string $host, string $port): \Redis
{
    $redis = new \Redis();
    $redis->connect($host, (int) $port, 5.0);
    $redis->setOption(\Redis::OPT_READ_TIMEOUT, 5.0);
    return $redis;
}

function contestant(array $words, Plan $plan): Contestant
{
    $kind = array_shift($words);
    return match ($kind) {
        'onehop' => new OnePipeline(new OneHop\Redis($words[1], $words[0])),
        'pipeline' => new OnePipeline(connected(...$words)),
        'sequential' => new NodeAfterNode(
            array_map(fn (array $address) => connected(...$address), array_chunk($words, 2)),
            $plan->nodeOf,
        ),
    };
}

/** Runs one batch and returns its nanoseconds; a wrong value ends the program. */
function measure(Contestant $contestant, array $keys): int
{
    $contestant->prepare($keys);
    $start = hrtime(true);
    $values = $contestant->run();
    $taken = hrtime(true) - $start;
    foreach ($contestant->order() as $index => $key) {
        if ($values[$index] !== FIELD . " of $key") {
            fwrite(STDERR, "wrong value for $key: " . var_export($values[$index], true) . "\n");
            exit(1);
        }
    }
    return $taken;
}

$plan = new Plan($argv[1]);
$open = [];
$nextBatch = [];
echo "ready\n";
while (($line = fgets(STDIN)) !== false) {
    [, $name, $untimed, $timed] = explode(' ', rtrim($line));
    $open[$name] ??= contestant($plan->contestants[$name], $plan);
    $nextBatch[$name] ??= 0;
    $taken = [];
    for ($i = 0; $i < $untimed + $timed; $i++) {
        $nanoseconds = measure($open[$name], $plan->batches[$nextBatch[$name]]);
        $nextBatch[$name] = ($nextBatch[$name] + 1) % count($plan->batches);
        if ($i >= $untimed) {
            $taken[] = $nanoseconds;
        }
    }
    echo implode(' ', $taken), "\n";
}
