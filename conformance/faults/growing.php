<?php
/*
 * A worker with a ledger: keys of all types, and what the last acknowledged write of each has left.
 * Nobody else writes these keys, so it knows what a reply must be. Growing.java is its twin in
 * Java; both have the same ledgers, so each also reads keys that the other one writes.
 *
 *     fill    writes all keys of its ledger
 *     work    makes as many rounds of calls as `rounds` says; without `rounds`, until the file
 *             `stop` exists: single calls, an MGET, a pipeline, a read of another worker's key
 *     check   reads all keys of its ledger, which nobody writes any more
 *
 * Prints as JSON the calls, the failures, and the replies that were older than the last write:
 * `older`. A page of php-fpm takes its words from the query, a script from the command line.
 */
declare(strict_types=1);

const KINDS = ['string', 'counter', 'hash', 'list', 'set', 'zset', 'stream', 'brief'];
const BRIEF_MS = 3000;
const BRIEF_DOUBT_MS = 10000; /* A move can make the key live longer. */
const LASTING_S = 86400;

/** What is known of a key: [tried, acknowledged, value, when that was, until when it is there]. */
final class Ledger
{
    private const RECORD_BYTES = 20;
    private $file;

    public function __construct(public readonly string $name, string $directory)
    {
        $this->file = fopen("$directory/ledger-$name", 'r+b');
        stream_set_read_buffer($this->file, 0);
    }

    public function count(): int
    {
        return intdiv(fstat($this->file)['size'], self::RECORD_BYTES);
    }

    /** @return list<int> */
    public function get(int $i): array
    {
        fseek($this->file, $i * self::RECORD_BYTES);
        return array_values(unpack('V5', fread($this->file, self::RECORD_BYTES)));
    }

    /** @param list<int> $record */
    public function put(int $i, array $record): void
    {
        fseek($this->file, $i * self::RECORD_BYTES);
        fwrite($this->file, pack('V5', ...$record));
    }
}

/** One key of a ledger: its commands, and the replies that they must have. */
final class Key
{
    public readonly string $name;
    private readonly string $kind;
    public readonly bool $is_lasting;

    public function __construct(string $ledger, int $i)
    {
        $this->name = "$ledger:$i";
        $this->kind = KINDS[$i % 8];
        $this->is_lasting = intdiv($i, 8) % 2 === 1 && $this->kind !== 'brief';
    }

    public function isBrief(): bool
    {
        return $this->kind === 'brief';
    }

    /** The value after one more write. */
    public function next(int $tried, int $value): int
    {
        return in_array($this->kind, ['string', 'hash', 'brief']) ? $tried : $value + 1;
    }

    /** @return list<int|string> */
    public function write(int $next): array
    {
        return match ($this->kind) {
            'string' => $this->is_lasting
                ? ['SET', $this->name, $next, 'EX', LASTING_S]
                : ['SET', $this->name, $next],
            'counter' => ['INCR', $this->name],
            'hash' => ['HSET', $this->name, 'n', $next],
            'list' => ['LPUSH', $this->name, $next],
            'set' => ['SADD', $this->name, $next],
            'zset' => ['ZINCRBY', $this->name, 1, 'm'],
            'stream' => ['XADD', $this->name, '*', 'n', $next],
            'brief' => ['SET', $this->name, $next, 'PX', BRIEF_MS],
        };
    }

    /** True if this can be the reply to that write. */
    public function isWritten(mixed $reply, int $value, int $next): bool
    {
        return match ($this->kind) {
            'string', 'brief' => $reply === true || $reply === 'OK',
            'counter', 'list', 'zset' => (int) $reply === $next,
            'hash' => $reply === ($value === 0 ? 1 : 0),
            'set' => $reply === 1,
            'stream' => is_string($reply),
        };
    }

    /** @return list<string> */
    public function read(): array
    {
        return match ($this->kind) {
            'string', 'counter', 'brief' => ['GET', $this->name],
            'hash' => ['HGET', $this->name, 'n'],
            'list' => ['LLEN', $this->name],
            'set' => ['SCARD', $this->name],
            'zset' => ['ZSCORE', $this->name, 'm'],
            'stream' => ['XLEN', $this->name],
        };
    }
}

final class Worker
{
    private const BATCH = 20;
    private const FILLED = 500;

    public array $told = ['calls' => 0, 'older' => [], 'unused' => 0, 'failures' => []];
    private OneHop\Redis $redis;

    /** @param list<Ledger> $others */
    public function __construct(
        private Ledger $ledger,
        private array $others,
        private string $directory,
        private int $epoch,
    ) {
        $this->redis = new OneHop\Redis('alpha');
    }

    private function now(): int
    {
        return (int) (microtime(true) * 1000) - $this->epoch * 1000;
    }

    public function work(int $rounds): void
    {
        $count = $this->ledger->count();
        for ($round = 0; $rounds ? $round < $rounds : !file_exists("$this->directory/stop");) {
            if ($round++ % 50 === 0) {
                $this->tellFingerprint();
            }
            for ($i = 0; $i < 4; $i++) {
                $this->step([mt_rand(0, $count - 1)]);
            }
            for ($some = []; count($some) < self::BATCH;) {
                $some[mt_rand(0, $count - 1)] = true;
            }
            $this->step(array_keys($some));
            $this->several(mt_rand(0, $count - 1));
            $other = $this->others[array_rand($this->others)];
            $this->foreign($other, mt_rand(0, $other->count() - 1));
        }
    }

    /** Tells the program that changes the file, which waits for this. */
    private function tellFingerprint(): void
    {
        $path = "$this->directory/follows-{$this->ledger->name}";
        $known = (new OneHop\Topology('alpha'))->fingerprint();
        if (!file_exists($path) || file_get_contents($path) !== $known) {
            file_put_contents($path, $known);
        }
    }

    /** Reads, writes or deletes each of these keys, in one call. */
    private function step(array $numbers): void
    {
        $kinds = $records = $commands = [];
        foreach ($numbers as $i) {
            $key = new Key($this->ledger->name, $i);
            $record = $this->ledger->get($i);
            $isInDoubt = $record[0] !== $record[1];
            $dice = mt_rand(0, 99);
            $kinds[] = $kind = $isInDoubt || $dice < 45 ? 'read' : ($dice < 90 ? 'write' : 'del');
            if ($kind !== 'read') {
                $record[0]++;
                $this->ledger->put($i, $record);
            }
            $records[] = $record;
            $commands[] = match ($kind) {
                'read' => $key->read(),
                'write' => $key->write($key->next($record[0], $record[2])),
                'del' => ['DEL', $key->name],
            };
        }
        $begun = $this->now();
        $replies = $this->call($commands);
        $ended = $this->now();
        $created = [];
        foreach ($numbers as $n => $i) {
            if (!$replies[$n] instanceof OneHop\Exception
                && $this->judge($i, $kinds[$n], $records[$n], $replies[$n], $begun, $ended)) {
                $created[] = ['EXPIRE', "{$this->ledger->name}:$i", LASTING_S];
            }
        }
        if ($created) {
            $this->call($created);
        }
    }

    /** Notes what a reply says. True if the key must be given a time to live. */
    private function judge(
        int $i,
        string $kind,
        array $record,
        mixed $reply,
        int $begun,
        int $ended,
    ): bool {
        $key = new Key($this->ledger->name, $i);
        [$tried, $acknowledged, $value, $at, $until] = $record;
        if ($kind === 'read') {
            $wasInDoubt = $tried !== $acknowledged;
            if ($wasInDoubt || !$this->isExpected($key, $record, (int) $reply, $begun, $ended)) {
                $this->ledger->put($i, [$tried, $tried, (int) $reply, $begun, 0]);
                if (!$wasInDoubt) {
                    $this->older($key, "is $reply, not $value", $at, $begun, $ended);
                }
                return $key->is_lasting && $reply;
            }
            return false;
        }
        if ($kind === 'del') {
            $this->ledger->put($i, [$tried, $tried, 0, $ended, 0]);
            if (!$key->isBrief() && $reply !== ($value === 0 ? 0 : 1)) {
                $this->older($key, "DEL: $reply, was $value", $at, $begun, $ended);
            }
            return false;
        }
        $next = $key->next($tried, $value);
        if ($key->isWritten($reply, $value, $next)) {
            $until = $key->isBrief() ? $begun + BRIEF_MS : 0;
            $this->ledger->put($i, [$tried, $tried, $next, $ended, $until]);
            return $key->is_lasting && $value === 0;
        }
        $what = 'write: ' . var_export($reply, true) . ", not $next";
        $this->older($key, $what, $at, $begun, $ended);
        return false; /* The key stays in doubt until it is read. */
    }

    private function isExpected(Key $key, array $record, int $found, int $begun, int $ended): bool
    {
        [, , $value, $at, $until] = $record;
        return match (true) {
            !$until || $ended < $until => $found === $value,
            $begun > $at + BRIEF_MS + BRIEF_DOUBT_MS => $found === 0,
            default => $found === 0 || $found === $value,
        };
    }

    /** MGET of some strings. */
    private function several(int $first): void
    {
        $numbers = $names = $records = [];
        $count = $this->ledger->count();
        for ($i = intdiv($first, 8) * 8; count($numbers) < 8 && $i < $count; $i += 8) {
            $record = $this->ledger->get($i);
            if ($record[0] === $record[1]) {
                $numbers[] = $i;
                $records[] = $record;
                $names[] = "{$this->ledger->name}:$i";
            }
        }
        if (!$names) {
            return;
        }
        $begun = $this->now();
        [$values] = $this->call([['MGET', ...$names]]);
        $ended = $this->now();
        foreach ($values instanceof OneHop\Exception ? [] : $values as $n => $value) {
            $this->judge($numbers[$n], 'read', $records[$n], $value, $begun, $ended);
        }
    }

    /** Reads another worker's key. If its worker writes it meanwhile, the reply does not count. */
    private function foreign(Ledger $other, int $i): void
    {
        $key = new Key($other->name, $i);
        $record = $other->get($i);
        $begun = $this->now();
        [$reply] = $this->call([$key->read()]);
        $ended = $this->now();
        if ($record[0] !== $record[1] || $other->get($i) !== $record) {
            $this->told['unused']++;
        } elseif (!$reply instanceof OneHop\Exception
            && !$this->isExpected($key, $record, (int) $reply, $begun, $ended)) {
            $this->older($key, "is $reply, not $record[2]", $record[3], $begun, $ended);
        }
    }

    private function older(Key $key, string $what, int $at, int $begun, int $ended): void
    {
        $this->told['older'][] = [$key->name, "$key->name $what", $at, $begun, $ended];
    }

    /** @return list<mixed> A reply or a failure for each command. */
    private function call(array $commands): array
    {
        $this->told['calls']++;
        $begun = $this->now();
        try {
            if (count($commands) === 1) {
                return [$this->redis->rawCommand(...$commands[0])];
            }
            $pipeline = $this->redis->pipeline();
            foreach ($commands as $words) {
                $pipeline->rawCommand(...$words);
            }
            return $pipeline->exec();
        } catch (OneHop\PartialBatch $e) {
            array_map(fn ($failure) => $this->fail($begun, $failure), $e->getFailures());
            return $e->getReplies();
        } catch (OneHop\Exception $e) {
            $this->fail($begun, $e);
            return array_fill(0, count($commands), $e);
        }
    }

    private function fail(int $begun, OneHop\Exception $e): void
    {
        $this->told['failures'][] = [$begun, $this->now(), substr($e->getMessage(), 0, 300)];
        usleep(10000);
    }

    public function fill(): void
    {
        foreach (array_chunk(range(0, $this->ledger->count() - 1), self::FILLED) as $numbers) {
            $commands = [];
            foreach ($numbers as $i) {
                $key = new Key($this->ledger->name, $i);
                if (!$key->isBrief()) {
                    $this->ledger->put($i, [1, 1, 1, $this->now(), 0]);
                    $commands[] = $key->write(1);
                    $commands = $key->is_lasting
                        ? [...$commands, ['EXPIRE', $key->name, LASTING_S]] : $commands;
                }
            }
            $this->call($commands);
        }
    }

    /** Reads all keys, and whether they have a time to live. */
    public function check(): void
    {
        foreach (array_chunk(range(0, $this->ledger->count() - 1), self::FILLED) as $numbers) {
            $commands = [];
            foreach ($numbers as $i) {
                $key = new Key($this->ledger->name, $i);
                array_push($commands, $key->read(), ['TTL', $key->name]);
            }
            $begun = $this->now();
            $replies = $this->call($commands);
            foreach ($numbers as $n => $i) {
                $this->checkOne($i, $replies[2 * $n], $replies[2 * $n + 1], $begun);
            }
        }
    }

    private function checkOne(int $i, mixed $found, mixed $ttl, int $begun): void
    {
        $key = new Key($this->ledger->name, $i);
        $record = $this->ledger->get($i);
        [$tried, $acknowledged, $value, $at] = $record;
        if ($found instanceof OneHop\Exception || $ttl instanceof OneHop\Exception
            || $tried !== $acknowledged) {
            return;
        }
        $ended = $this->now();
        if (!$this->isExpected($key, $record, (int) $found, $begun, $ended)) {
            $this->older($key, "is at the end $found, not $value", $at, $begun, $ended);
        } elseif ($value && !$key->isBrief() && ($ttl > 0) !== $key->is_lasting) {
            $this->older($key, "has the time to live $ttl", $at, $begun, $ended);
        }
    }
}

set_time_limit(0);
$words = $_GET;
if (PHP_SAPI === 'cli') {
    parse_str($argv[1], $words);
}
['job' => $job, 'name' => $name, 'directory' => $directory, 'epoch' => $epoch] = $words;
$all = array_map(
    static fn (string $path) => substr(basename($path), strlen('ledger-')),
    glob("$directory/ledger-*"),
);
$others = array_map(
    static fn (string $other) => new Ledger($other, $directory),
    array_values(array_diff($all, [$name])),
);
$worker = new Worker(new Ledger($name, $directory), $others, $directory, (int) $epoch);
match ($job) {
    'fill' => $worker->fill(),
    'work' => $worker->work((int) ($words['rounds'] ?? 0)),
    'check' => $worker->check(),
};
echo json_encode($worker->told);
