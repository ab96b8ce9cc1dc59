<?php

/*
 * Runs a case on a plain \Redis and on OneHop\Redis, and finds the first difference.
 *
 * A case first runs at full speed. If anything differs, it runs again carefully: call by call on
 * both sides, with a GET after each that shows whether phpredis is still in step with its replies.
 * A plain \Redis may lose its place after a reply that it does not understand; OneHop drops such
 * bytes. From there on the two are not compared, but OneHop must give right answers.
 *
 * In some cases the node harms OneHop's connections: it ends them in the middle of a reply, or
 * damages bytes. Then OneHop may throw where phpredis returns. It must not return another value
 * after an end. After either kind of harm it must be able to go on.
 */

require_once __DIR__ . '/values.php';
require_once __DIR__ . '/call_loose.php';
require_once __DIR__ . '/call_strict.php';
require_once __DIR__ . '/known.php';

final class Side
{
    public ?Redis $redis = null;
    public string $prefix = '';
    public bool $throwsWarnings = false;
    private array $warnings = [];

    public function __construct(public bool $isOurs, private int $port, private string $config)
    {
    }

    public function open(int $nodesCount): void
    {
        $this->prefix = '';
        if ($this->isOurs) {
            $this->redis = new OneHop\Redis("nodes-$nodesCount", $this->config);
            return;
        }
        $this->redis = new Redis();
        $this->redis->connect('127.0.0.1', $this->port);
        $this->redis->setOption(Redis::OPT_READ_TIMEOUT, 0.4);
    }

    public function note(int $level, string $text): bool
    {
        /* phpredis describes fewer parameters than it takes. PHP then reads memory as a type. */
        $text = preg_replace('/(Passing null .* of type) \S+ is/', '$1 ... is', $text);
        $this->warnings[] = "$level: " . str_replace('OneHop\\Redis', 'Redis', $text);
        if ($this->throwsWarnings) {
            throw new ErrorException(end($this->warnings));
        }
        return true;
    }

    /** What the caller sees of a call: value, exception, warnings. */
    public function outcome(array $step): array
    {
        [$method, $arguments, $way, $isStrict] = $step;
        $this->warnings = [];
        Text::$conversions = 0;
        Caller::$redis = $this->redis;
        $arguments = made($arguments);
        $begin = microtime(true);
        $thrown = null;
        $value = null;
        set_error_handler($this->note(...));
        try {
            if (strtolower($method) === 'pipeline' && $this->redis->getMode() === Redis::MULTI) {
                throw new LogicException('phpredis ends PHP'); // Only a reduced case does so.
            }
            $value = $isStrict
                ? call_strict($this->redis, $method, $way, $arguments)
                : call_loose($this->redis, $method, $way, $arguments);
        } catch (Throwable $e) {
            $message = str_replace('OneHop\\Redis', 'Redis', $e->getMessage());
            $thrown = [$e::class, $message, $e->getCode()];
        }
        restore_error_handler();
        if ($method === 'setOption' && $thrown === null && $arguments[0] === Redis::OPT_PREFIX) {
            $this->prefix = (string) $arguments[1];
        }
        return [
            'value' => $value === $this->redis ? '@the object' : $value,
            'thrown' => $thrown,
            'warnings' => $this->warnings,
            'arguments' => is_array(end($arguments)) ? text_of($arguments) : null,
            'next' => is_array($value) ? next_index($value) : null,
            'conversions' => Text::$conversions,
            'seconds' => microtime(true) - $begin,
        ];
    }

    /** True if the object is in no mode and a GET returns the value of its own key. */
    public function isInStep(int $number): bool
    {
        try {
            return $this->redis->getMode() === Redis::ATOMIC
                && $this->redis->get("check:$number") === "right:{$this->prefix}check:$number";
        } catch (RedisException) {
            return false;
        }
    }

    public function lastError(): ?string
    {
        try {
            return $this->redis->getLastError();
        } catch (Throwable $e) {
            return $e::class;
        }
    }
}

function text_of(mixed $value): string
{
    try {
        return serialize($value);
    } catch (Throwable) {
        return @var_export($value, true);
    }
}

function is_same(mixed $a, mixed $b): bool
{
    if (is_array($a) || is_float($a) || is_object($a)) {
        return text_of($a) === text_of($b);
    }
    return $a === $b;
}

function next_index(array $list): ?int
{
    try {
        $list[] = null;
        return array_key_last($list);
    } catch (Error) {
        return null;
    }
}

/** What the node does to OneHop's connections; node.py has the same list. */
const HARMS = ['', 'ends', 'damage'];
/** What OneHop may throw after such harm. */
const FAILURES = [
    OneHop\NodeDown::class, OneHop\ProtocolViolation::class, OneHop\PartialBatch::class,
];

final class Comparison
{
    public int $casesCount = 0;
    public int $callsCount = 0;
    public array $known = [];
    private Side $plain;
    private Side $ours;
    private bool $isFresh = false;

    /** $both: "plain" for two plain clients, which are not harmed; "ours" for two of OneHop. */
    public function __construct(
        array $ports,
        string $config,
        private mixed $control,
        private string $both,
    ) {
        $this->plain = new Side($both === 'ours', $ports[0], $config);
        $this->ours = new Side($both !== 'plain', $ports[1], $config);
    }

    /** The first difference, in words; null if there is none. */
    public function differ(array $case): ?string
    {
        $case['harm'] = $this->both === 'plain' ? '' : $case['harm'];
        $this->casesCount++;
        $this->callsCount += count($case['steps']);
        $isClean = $case['rate'] === 0 && $case['harm'] === ''
            && ($case['steps'][0][0] ?? '') !== 'setOption';
        if (!$this->isFresh || !$isClean || $case['nodes'] > 1) {
            $this->open($case);
        }
        $this->isFresh = $isClean && $case['nodes'] === 1;
        $this->plain->throwsWarnings = $this->ours->throwsWarnings = $case['throws'];
        if ($case['harm'] === '' && $this->isSameAtFullSpeed($case)) {
            return null;
        }
        $this->isFresh = false;
        $difference = $case['harm'] === ''
            ? $this->carefully($case)
            : $this->despiteHarm($case);
        $this->begin($case);
        return $difference;
    }

    private function open(array $case): void
    {
        $this->plain->open(1);
        $this->ours->open($case['nodes']);
    }

    /** Begins a case at the node. Returns what both sides have sent before, if it differs. */
    private function begin(array $case): array
    {
        $numbers = [
            $case['seed'] & 0x7fffffff, $case['rate'], $case['cuts'], $case['gentle'],
            array_search($case['harm'], HARMS, true),
        ];
        fwrite($this->control, implode(' ', array_map(intval(...), $numbers)) . "\n");
        $lengths = unpack('V2', $this->read(8));
        return [$this->read($lengths[1]), $this->read($lengths[2])];
    }

    private function read(int $length): string
    {
        $bytes = '';
        while (strlen($bytes) < $length) {
            $bytes .= $more = fread($this->control, $length - strlen($bytes));
            if ($more === '' || $more === false) {
                exit("The node is gone.\n");
            }
        }
        return $bytes;
    }

    private function isSameAtFullSpeed(array $case): bool
    {
        $outcomes = [];
        $this->begin($case);
        foreach ([$this->plain, $this->ours] as $i => $side) {
            foreach ($case['steps'] as $step) {
                $outcomes[$i][] = ['seconds' => 0] + $side->outcome($step);
            }
            $outcomes[$i][] = ['value' => $side->isInStep($case['seed'])];
            $outcomes[$i][] = ['value' => $side->lastError()];
        }
        $count = count($case['steps']);
        [$plain, $ours] = $this->begin($case);
        return $outcomes[0][$count]['value'] && $outcomes[1][$count]['value']
            && ($plain === $ours || $case['nodes'] > 1) && is_same($outcomes[0], $outcomes[1]);
    }

    /* ---- Call by call ---- */

    private function carefully(array $case): ?string
    {
        $sent = ['', ''];
        $this->open($case);
        $this->begin($case);
        foreach ($case['steps'] as $number => $step) {
            $plain = $this->plain->outcome($step);
            $ours = $this->ours->outcome($step);
            $errors = [$this->plain->lastError(), $this->ours->lastError()];
            $isQueuing = $this->plain->redis->getMode() !== Redis::ATOMIC
                || $this->ours->redis->getMode() !== Redis::ATOMIC;
            foreach ($this->begin($case) as $i => $bytes) {
                $sent[$i] .= $bytes;
            }
            $isPlainInStep = $isQueuing || $this->plain->isInStep($number);
            if (!$isQueuing && !$this->ours->isInStep($number)) {
                return "call $number: a GET after it is not answered rightly";
            }
            $this->begin($case);
            $difference = $this->difference(
                $step,
                $plain,
                $ours,
                // A phpredis that is out of step may take the text of a value for an error.
                $isPlainInStep ? $errors : [null, null],
                // OneHop sends MULTI with the first command of a transaction.
                $isQueuing || $case['nodes'] > 1 ? ['', ''] : $sent,
            );
            $sent = $isQueuing ? $sent : ['', ''];
            // phpredis may wait for missing bytes. A node of three sends less than a single one.
            $isExcused = $plain['seconds'] > 0.3 || $case['nodes'] > 1;
            if (!$isPlainInStep && ($difference === null || $isExcused)) {
                $this->count('A plain \Redis lost its place in the replies.');
                return null;
            }
            if ($difference === '') {
                return null;
            }
            if ($isQueuing && $difference === null && $this->isGivenUp($step, $ours)) {
                return null;
            }
            if ($difference !== null) {
                return "call $number: $difference";
            }
        }
        return null;
    }

    /* ---- With a node that harms connections ---- */

    private function despiteHarm(array $case): ?string
    {
        $this->open($case);
        $this->begin($case);
        foreach ($case['steps'] as $number => $step) {
            $plain = $this->plain->outcome($step);
            $ours = $this->ours->outcome($step);
            $isFailed = in_array($ours['thrown'][0] ?? '', FAILURES, true);
            $isCompared = $case['harm'] === 'ends' && !$isFailed;
            $difference = $isCompared
                ? $this->difference($step, $plain, $ours, [null, null], ['', ''])
                : null;
            if ($difference === '') {
                return null;
            }
            if ($difference !== null) {
                return "call $number: $difference";
            }
            $isOver = $this->plain->redis->getMode() === Redis::ATOMIC;
            if ($isFailed && !$isOver && $this->ours->redis->getMode() === Redis::ATOMIC) {
                $this->count('A transaction that its node has lost is over.');
                return $this->ours->isInStep($case['seed']) ? null : 'OneHop cannot go on';
            }
            if (!$isOver && $this->isGivenUp($step, $ours)) {
                return null;
            }
            if ($isOver && $this->ours->redis->getMode() !== Redis::ATOMIC) {
                return "call $number: $step[0]() leaves OneHop in a batch: " . shown($ours);
            }
        }
        $isOver = $this->plain->redis->getMode() === Redis::ATOMIC;
        return $isOver && !$this->ours->isInStep($case['seed']) ? 'OneHop cannot go on' : null;
    }

    private function isGivenUp(array $step, array $ours): bool
    {
        $is = throws_itself($step, $ours);
        if ($is) {
            $this->count('OneHop gives up a batch in which a value could not be packed.');
        }
        return $is;
    }

    private function count(string $reason): void
    {
        $this->known[$reason] = ($this->known[$reason] ?? 0) + 1;
    }

    /** What differs; null if nothing, '' if a known difference ends the comparison of the case. */
    private function difference(
        array $step,
        array $plain,
        array $ours,
        array $errors,
        array $sent,
    ): ?string {
        $faults = [];
        foreach (['value', 'thrown', 'warnings', 'arguments', 'next', 'conversions'] as $what) {
            if (!is_same($plain[$what], $ours[$what])) {
                $faults[$what] = [$plain[$what], $ours[$what]];
            }
        }
        if ($errors[0] !== $errors[1]) {
            $faults['last error'] = $errors;
        }
        if ($sent[0] !== $sent[1]) {
            $faults['bytes'] = $sent;
        }
        if ($faults === []) {
            return null;
        }
        foreach (KNOWN as $reason => $explains) {
            if ($explains($faults, $step, $ours)) {
                $this->count($reason);
                return '';
            }
        }
        $lines = "$step[0]()";
        foreach ($faults as $what => [$a, $b]) {
            $lines .= "\n  other $what:\n    phpredis " . shown($a) . "\n    OneHop   " . shown($b);
        }
        return $lines;
    }
}

function shown(mixed $value): string
{
    $text = is_string($value) ? written($value) : @var_export($value, true);
    $text = preg_replace('/\s+/', ' ', $text);
    return strlen($text) > 1200 ? substr($text, 0, 600) . ' ... ' . substr($text, -600) : $text;
}
