<?php

/*
 * Random cases: what a script might do with one object. A case is data: options, then calls. Most
 * calls are those of spec/route/express.json in a form that the express lane takes; some have other
 * arguments, or are of other methods.
 */

const OTHERS = [
    ['rawCommand', 'GET', '@key'], ['rawCommand', 'HGETALL', '@key'],
    ['mset', ['k' => 'v', 'l' => 2]], ['type', '@key'], ['keys', 'k*'],
    ['incrByFloat', '@key', 1.5], ['hIncrByFloat', '@key', 'f', 0.25], ['hStrLen', '@key', 'f'],
    ['lRem', '@key', 'v', 1], ['sPop', '@key'], ['sPop', '@key', 2], ['sRandMember', '@key'],
    ['zRangeByScore', '@key', '-inf', '+inf'], ['zRevRange', '@key', 0, -1],
    ['zRange', '@key', 0, -1, true], ['zCount', '@key', '1', '2'], ['bitCount', '@key'],
    ['getRange', '@key', 0, 3], ['setRange', '@key', 1, 'x'], ['setBit', '@key', 7, true],
    ['getBit', '@key', 7], ['dump', '@key'], ['echo', 'hello'], ['time'], ['touch', '@key'],
    ['lInsert', '@key', 'before', 'p', 'v'], ['lTrim', '@key', 0, 1], ['lSet', '@key', 0, 'v'],
    ['eval', 'return 1', ['@key'], 1], ['xAdd', '@key', '*', ['f' => 'v']],
    ['pfAdd', '@key', ['a', 'b']], ['hGetAll', '@key'], ['mGet', ['@key']],
    ['exists', ['@key', 'other']], ['del', ['@key', 'other']],
    ['set', '@key', 'v', ['nx', 'ex' => 10]], ['set', '@key', 'v', 10],
    ['set', '@key', 'v', null], ['set', '@key', 'v', 0], ['set', '@key', 'v', -1],
    ['set', '@key', 'v', '10'], ['set', '@key', 'v', []], ['zAdd', '@key', ['nx'], 1, 'm'],
    ['zAdd', '@key', 'NX', 1, 'm'], ['zAdd', '@key', 1.5, 'm'], ['hMget', '@key', ['f', '', 'g']],
    ['hMget', '@key', ['f', 'f']], ['hMget', '@key', [1, '1', '01']], ['sUnion', '@key'],
    ['sort', '@key'], ['ping'], ['isConnected'], ['getMode'], ['getLastError'],
    ['clearLastError'], ['getOption', Redis::OPT_SERIALIZER], ['_prefix', 'k'],
    ['pexpireAt', '@key', 99], ['lPushx', '@key', 'v'], ['msetnx', ['k' => 'v']],
    ['hVals', '@key'], ['sAddArray', '@key', ['a', 'b']],
];

/*
 * phpredis crashes if the reply to HMGET has more values than names, or if a score is missing;
 * phpredis 6.2 also if a name is missing in the reply to HGETALL. OneHop keeps such replies from
 * phpredis (replies_that_end_the_process.phpt), but the plain client in the same process would
 * damage the memory of both. So cases with these calls get no damaged replies.
 */
function is_dangerous(array $steps): bool
{
    $crashing = version_compare(phpversion('redis'), '6', '<') ? ['hmget'] : ['hmget', 'hgetall'];
    foreach ($steps as [$method, $arguments]) {
        $method = strtolower($method);
        if (
            in_array($method, $crashing, true)
            || $method === 'zrange' && count($arguments) > 3
        ) {
            return true;
        }
    }
    return false;
}

final class Cases
{
    private array $table;
    private array $rows;
    private int $oddArguments;
    private int $others;

    public function __construct(string $table)
    {
        $this->table = json_decode(file_get_contents($table), true)['rows'];
    }

    public function make(int $seed): array
    {
        mt_srand($seed);
        // A case with a few methods shows more of their replies.
        $this->rows = chance(400)
            ? [one_of($this->table), one_of($this->table), one_of($this->table)]
            : $this->table;
        $this->oddArguments = one_of([0, 0, 0, 30, 30, 200, 500]);
        $this->others = one_of([0, 0, 0, 0, 50, 50, 500]);
        $nodes = chance(150) ? 3 : 1;
        $harm = one_of([...array_fill(0, 18, ''), 'ends', 'damage']);
        $steps = chance(250) ? [$this->option()] : [];
        for ($blocks = one_of([1, 1, 1, 2, 3]); $blocks > 0; $blocks--) {
            array_push($steps, ...($nodes > 1 ? $this->blockOfSeveralNodes() : $this->block()));
        }
        // Damaged bytes may crash phpredis, too.
        $harm = $harm === 'damage' && is_dangerous($steps) ? 'ends' : $harm;
        $isUsual = $nodes > 1 || $harm !== '';
        return [
            'seed' => $seed,
            'rate' => $isUsual ? 0 : one_of([0, 0, 0, 0, 5, 20, 20, 60, 200, 500]),
            'cuts' => chance(200),
            'gentle' => is_dangerous($steps),
            'nodes' => $nodes,
            'harm' => $harm,
            'throws' => chance(100),
            'steps' => $steps,
        ];
    }

    /** A block without a transaction and without a command for all nodes. */
    private function blockOfSeveralNodes(): array
    {
        $this->others = 0;
        return chance(300)
            ? $this->calls(mt_rand(1, 10))
            : [$this->plain('pipeline'), ...$this->calls(mt_rand(1, 40)), $this->end()];
    }

    private function block(): array
    {
        return match (mt_rand(0, 11)) {
            0, 1, 2 => $this->calls(mt_rand(1, 10)),
            3 => [$this->plain('multi'), ...$this->calls(mt_rand(0, 8)), $this->end()],
            4 => [
                $this->plain('multi', [Redis::PIPELINE]), ...$this->calls(mt_rand(0, 12)),
                $this->end(),
            ],
            5 => [
                $this->plain('pipeline'), ...$this->calls(mt_rand(0, 5)),
                $this->plain('multi'), ...$this->calls(mt_rand(0, 5)), $this->end(),
                ...$this->calls(mt_rand(0, 3)), $this->end(),
            ],
            6 => [
                $this->plain('pipeline'), ...$this->calls(mt_rand(0, 9)), $this->option(),
                ...$this->calls(mt_rand(0, 9)), $this->end(),
            ],
            default => [$this->plain('pipeline'), ...$this->calls(mt_rand(1, 40)), $this->end()],
        };
    }

    private function end(): array
    {
        return $this->plain(chance(60) ? 'discard' : 'exec');
    }

    private function plain(string $method, array $arguments = []): array
    {
        return [$method, $arguments, 'spread', false];
    }

    private function option(): array
    {
        $options = [
            [Redis::OPT_SERIALIZER, [0, Redis::SERIALIZER_PHP, Redis::SERIALIZER_IGBINARY]],
            [Redis::OPT_SERIALIZER, [0, Redis::SERIALIZER_PHP]],
            [Redis::OPT_PREFIX, ['p:', '', 'a longer prefix:', "\0"]],
            [Redis::OPT_PREFIX, ['p:', null]],
        ];
        foreach ([
            'OPT_REPLY_LITERAL' => [true, false, 1, 0],
            'OPT_NULL_MULTIBULK_AS_NULL' => [true, false],
            'OPT_PACK_IGNORE_NUMBERS' => [true, false],
            'OPT_SCAN' => [0, 1],
        ] as $name => $values) {
            if (defined("Redis::$name")) {
                $options[] = [constant("Redis::$name"), $values];
            }
        }
        if (defined('Redis::SERIALIZER_JSON')) {
            $options[] = [Redis::OPT_SERIALIZER, [Redis::SERIALIZER_JSON, 0]];
        }
        [$option, $values] = one_of($options);
        return $this->plain('setOption', [$option, one_of($values)]);
    }

    private function calls(int $count): array
    {
        $calls = [];
        while ($count-- > 0) {
            $calls[] = chance($this->others) ? $this->other() : $this->call();
        }
        return $calls;
    }

    private function other(): array
    {
        $call = one_of(OTHERS);
        array_walk_recursive($call, function (&$word) {
            $word = $word === '@key' ? any_key() : $word;
        });
        return [$call[0], array_slice($call, 1), 'spread', chance(300)];
    }

    private function call(): array
    {
        $row = one_of($this->rows);
        $arguments = $this->arguments($row['arguments']);
        if (chance($this->oddArguments)) {
            $arguments = $this->spoilt($row['method'], $arguments);
        }
        $method = chance(20) ? strtoupper($row['method']) : $row['method'];
        $way = chance(950) ? 'spread' : one_of(['by name', 'callable']);
        return [$method, $arguments, $way, chance(400)];
    }

    private function arguments(string $letters): array
    {
        $arguments = [];
        foreach (str_split($letters) as $letter) {
            array_push($arguments, ...$this->argument($letter));
        }
        return $arguments;
    }

    /** One argument, or several if the letter stands for all remaining ones. */
    private function argument(string $letter): array
    {
        return match ($letter) {
            'k' => [any_key()],
            'v' => [any_value()],
            's' => [chance(100) ? one_of(INTEGERS) : any_text()],
            'i', 'l' => [one_of(INTEGERS)],
            'x' => [one_of([1, 10, 3600, 0, -1, PHP_INT_MAX])],
            'n' => [one_of(INTEGERS)],
            'K' => chance(500) ? $this->several(any_key(...)) : [$this->several(any_key(...))],
            'A' => [$this->several(any_key(...))],
            'S' => $this->several(any_text(...)),
            'V' => $this->several(any_value(...)),
            'F' => [$this->several(fn () => chance(300) ? one_of(INTEGERS) : one_of(TEXTS))],
            'M' => [$this->map()],
            'P' => array_merge(...$this->several(fn () => [one_of(INTEGERS), any_value()])),
        };
    }

    private function several(callable $make): array
    {
        return array_map(fn () => $make(), range(1, one_of([1, 1, 1, 2, 2, 3, 5, 12])));
    }

    private function map(): array
    {
        $map = [];
        foreach ($this->several(any_value(...)) as $value) {
            $map[one_of(NAMES)] = $value;
        }
        return $map;
    }

    /** Arguments that may be refused: of another type, too few, too many, named. */
    private function spoilt(string $method, array $arguments): array
    {
        $place = mt_rand(0, count($arguments) - 1);
        switch (mt_rand(0, 9)) {
            case 0:
                return array_slice($arguments, 0, $place);
            case 1:
                return [...$arguments, anything()];
            case 2:
                return $this->named($method, $arguments);
            case 3:
                $arguments[$place] = new Reference($arguments[$place]);
                return $arguments;
            default:
                $arguments[$place] = is_array($arguments[$place]) && chance(700)
                    ? any_array() : anything();
                return $arguments;
        }
    }

    private function named(string $method, array $arguments): array
    {
        $from = mt_rand(0, count($arguments) - 1);
        $named = [];
        $parameters = (new ReflectionMethod(Redis::class, $method))->getParameters();
        foreach ($parameters as $i => $parameter) {
            if (array_key_exists($i, $arguments) && !$parameter->isVariadic()) {
                $named[$i < $from ? $i : $parameter->getName()] = $arguments[$i];
            }
        }
        if (chance(100)) {
            $named['unknown'] = 1;
        }
        return chance(300) ? array_reverse($named) : $named;
    }
}
