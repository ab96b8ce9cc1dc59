<?php
/*
 * The jobs as subjects of PHPBench. The worker of bench/jobs.py runs the same subjects.
 *
 *     vendor/bin/phpbench run --report=aggregate [--group=mget]
 *     php -d extension=php-ext/modules/onehop.so bench/php/run.php [GROUP]    # without PHPBench
 *
 * Both start the servers first (servers.php). Each subject has a `before` method that takes the
 * next batch of keys, and an `after` method that compares every value; a wrong one ends the run.
 * The subjects themselves do nothing but the job.
 */
declare(strict_types=1);

use PhpBench\Attributes\AfterClassMethods;
use PhpBench\Attributes\AfterMethods;
use PhpBench\Attributes\BeforeClassMethods;
use PhpBench\Attributes\BeforeMethods;
use PhpBench\Attributes\Groups;
use PhpBench\Attributes\Iterations;
use PhpBench\Attributes\OutputTimeUnit;
use PhpBench\Attributes\ParamProviders;
use PhpBench\Attributes\Revs;
use PhpBench\Attributes\Warmup;

require_once __DIR__ . '/plan.php';
require_once __DIR__ . '/contestants.php';
require_once __DIR__ . '/servers.php';

#[BeforeClassMethods('startServers')]
#[AfterClassMethods('stopServers')]
#[Iterations(10)]
#[OutputTimeUnit('microseconds')]
final class JobsBench
{
    private static ?Plan $plan = null;
    /** @var array<string, Contestant> */
    private static array $open = [];
    /** @var array<string, int> */
    private static array $next = [];
    /** @var array<string, array<string, string>> Batches of take(), except large values. */
    private static array $batches = [];

    private string $name;
    private Contestant $contestant;
    /** @var array<string, string> The batch: keys with their values. */
    private array $values;
    private mixed $result = null;

    public static function startServers(): void
    {
        Servers::start();
    }

    public static function stopServers(): void
    {
        Servers::stop();
    }

    // ---- Parameters ----

    public static function usePlan(Plan $plan): void
    {
        self::$plan = $plan;
    }

    public function contestants(): iterable
    {
        foreach (Servers::CONTESTANTS as $name) {
            yield $name => ['contestant' => $name];
        }
    }

    public function sizes(): iterable
    {
        foreach ([10, 100, 1000, 10000] as $keys) {
            yield "$keys keys" => ['keys' => $keys];
        }
    }

    public function values(): iterable
    {
        foreach ([32, 1024, 65536] as $bytes) {
            yield "$bytes bytes" => ['keys' => 100, 'bytes' => $bytes];
        }
    }

    // ---- Before ----

    /** A batch of hashes. For the worker they are there already; for PHPBench this writes them. */
    public function takeHashes(array $params): void
    {
        $this->open($params);
        $this->take(self::$plan->hashes, $params, static fn ($key) => FIELD . " of $key");
        if ($params['writes'] ?? true) {
            $this->contestant->hSet();
        }
    }

    /** A batch of strings. For PHPBench this writes them, too. */
    public function takeStrings(array $params): void
    {
        $bytes = $params['bytes'] ?? 32;
        $this->open($params);
        $this->take(self::$plan->strings, $params, static function ($key) use ($bytes) {
            $unit = "value of $key ";
            return substr(str_repeat($unit, intdiv($bytes, strlen($unit)) + 1), 0, $bytes);
        });
        if ($params['writes'] ?? true) {
            $this->contestant->mSet();
        }
    }

    /** The same for DEL, which needs keys that exist. */
    public function takeStringsToDelete(array $params): void
    {
        $this->takeStrings(['writes' => true] + $params);
    }

    // ---- The subjects ----

    #[Groups(['get'])]
    #[ParamProviders(['contestants', 'values'])]
    #[BeforeMethods('takeStrings'), AfterMethods('checkSingle'), Revs(5), Warmup(1)]
    public function benchGet(): void
    {
        $this->result = [];
        foreach ($this->values as $key => $value) {
            $this->result[] = $this->contestant->get($key);
        }
    }

    #[Groups(['set'])]
    #[ParamProviders(['contestants', 'values'])]
    #[BeforeMethods('takeStrings'), AfterMethods('checkWritten'), Revs(5), Warmup(1)]
    public function benchSet(): void
    {
        foreach ($this->values as $key => $value) {
            $this->contestant->set($key, $value);
        }
    }

    #[Groups(['pipeline'])]
    #[ParamProviders(['contestants', 'sizes'])]
    #[BeforeMethods('takeHashes'), AfterMethods('checkValues'), Revs(5), Warmup(1)]
    public function benchHget(): void
    {
        $this->result = $this->contestant->pipeline();
    }

    #[Groups(['mget'])]
    #[ParamProviders(['contestants', 'sizes'])]
    #[BeforeMethods('takeStrings'), AfterMethods('checkValues'), Revs(5), Warmup(1)]
    public function benchMget(): void
    {
        $this->result = $this->contestant->mGet();
    }

    #[Groups(['mset'])]
    #[ParamProviders(['contestants', 'sizes'])]
    #[BeforeMethods('takeStrings'), AfterMethods('checkWritten'), Revs(5), Warmup(1)]
    public function benchMset(): void
    {
        $this->contestant->mSet();
    }

    /** There is one revolution, because a second one would find nothing to delete. */
    #[Groups(['del'])]
    #[ParamProviders(['contestants', 'sizes'])]
    #[BeforeMethods('takeStringsToDelete'), AfterMethods('checkDeleted'), Revs(1), Warmup(0)]
    public function benchDel(): void
    {
        $this->result = $this->contestant->del();
    }

    /** A request's start: a new client and its first GET. */
    #[Groups(['cold'])]
    #[ParamProviders(['contestants', 'values'])]
    #[BeforeMethods('takeStrings'), AfterMethods('checkSingle'), Revs(1), Warmup(1)]
    public function benchCold(): void
    {
        $this->result = [];
        foreach ($this->values as $key => $value) {
            $client = contestant(self::$plan, ...self::$plan->contestants[$this->name]);
            $this->result[] = $client->get($key);
            unset($client);
        }
    }

    /** A pipeline while a node may be dead. Only the worker runs it, because it kills one. */
    #[BeforeMethods('takeHashes'), AfterMethods('countRight')]
    public function alive(): void
    {
        $this->result = $this->contestant->survivors();
    }

    /** Writes hashes for a contestant that places keys on nodes of its own choice. */
    #[BeforeMethods('takeHashes'), AfterMethods('readHashes')]
    public function hset(): void
    {
        $this->contestant->hSet();
    }

    // ---- After ----

    public function checkValues(): void
    {
        foreach ($this->contestant->order() as $index => $key) {
            $this->check($this->result[$index] === $this->values[$key], $key);
        }
    }

    /** The values of single GETs are in the order of the keys. */
    public function checkSingle(): void
    {
        foreach (array_keys($this->values) as $index => $key) {
            $this->check($this->result[$index] === $this->values[$key], $key);
        }
    }

    public function checkWritten(): void
    {
        $this->result = $this->contestant->mGet();
        $this->checkValues();
    }

    public function checkDeleted(): void
    {
        $this->check($this->result === count($this->values), "deleted {$this->result}");
        $this->contestant->mSet();
    }

    public function readHashes(): void
    {
        $this->result = $this->contestant->pipeline();
        $this->checkValues();
    }

    /** Returns how many values are right. The others must be missing. */
    public function countRight(): int
    {
        $right = 0;
        foreach ($this->result ? $this->contestant->order() : [] as $index => $key) {
            $value = $this->result[$index] ?? false;
            $isMissing = $value === false || $value instanceof Throwable;
            $this->check($isMissing || $value === $this->values[$key], $key);
            $right += (int) !$isMissing;
        }
        return $right;
    }

    private function open(array $params): void
    {
        self::$plan ??= Servers::plan();
        $name = $this->name = $params['contestant'];
        self::$open[$name] ??= contestant(self::$plan, ...self::$plan->contestants[$name]);
        $this->contestant = self::$open[$name];
    }

    /** The next batch of the first `of` keys. The less happens here, the calmer is the machine. */
    private function take(array $keys, array $params, callable $valueOf): void
    {
        $name = "{$this->name} {$keys[0]}";
        $first = (int) ceil((self::$next[$name] ?? 0) / $params['keys']) * $params['keys'];
        if ($first + $params['keys'] > ($params['of'] ?? count($keys))) {
            $first = 0;
        }
        self::$next[$name] = $first + $params['keys'];
        $bytes = $params['bytes'] ?? 32;
        $place = "{$keys[0]} $first {$params['keys']} $bytes";
        $values = self::$batches[$place] ?? null;
        if ($values === null) {
            $batch = array_slice($keys, $first, $params['keys']);
            $values = array_combine($batch, array_map($valueOf, $batch));
            if ($bytes <= 256) {
                self::$batches[$place] = $values;
            }
        }
        $this->values = $values;
        $this->contestant->prepare($values);
    }

    private function check(bool $isRight, string $what): void
    {
        if (!$isRight) {
            throw new UnexpectedValueException("{$this->name}: wrong value: $what");
        }
    }
}
