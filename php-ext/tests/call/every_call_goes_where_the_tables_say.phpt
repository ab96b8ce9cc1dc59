--TEST--
Every method goes to the node of its keys as phpredis sends it, or in parts, or nowhere
--DESCRIPTION--
Not beneath valgrind: it makes every call of every method.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../../../spec/tools/reference/table.php';
require __DIR__ . '/../../../spec/tools/reference/methods.php';

/* The nodes log what they receive and answer with an error: only the target of a call matters. */
const SCRIPT = '
    for words in commands():
        reply("-ERR not here")';

final class Walk
{
    public array $faults = [];
    public array $counts = [];
    private array $ports;
    private int $plainPort;
    private Redis $plain;
    private string $plainMethod = '';
    private OneHop\Topology $topology;
    private string $config;
    private array $keys;

    public function __construct(private Table $table, private Methods $methods)
    {
        foreach (['a', 'b', 'c', 'd'] as $name) {
            $this->ports[$name] = lab_node(SCRIPT);
        }
        $servers = array_map(
            fn ($name) => "127.0.0.1:{$this->ports[$name]}:1 $name",
            array_keys($this->ports),
        );
        $this->config = lab_config($servers, ['hash_tag' => '"{}"']);
        $this->topology = new OneHop\Topology('alpha', $this->config);
        $this->plainPort = lab_node(SCRIPT);
        $this->keys = array_values(lab_key_of_each($this->config));
    }

    /** Replaces k1, k2 ... in all arguments by keys of one hash tag, or of one node each. */
    private function named(mixed $value, bool $together): mixed
    {
        if (is_array($value)) {
            $named = [];
            foreach ($value as $name => $element) {
                $place = is_string($name) ? $this->named($name, $together) : $name;
                $named[$place] = $this->named($element, $together);
            }
            return $named;
        }
        if ($value === 'return 1') {
            return 'return(1)'; /* Without a space, because the log separates words by spaces. */
        }
        if (!is_string($value) || !preg_match('/^k(\d)$/', $value, $match)) {
            return $value;
        }
        return $together ? "{same}$value" : $this->keys[$match[1] % count($this->keys)];
    }

    /** Makes a call. Returns the name of the exception, or null. */
    private function make(Redis $redis, string $method, array $arguments): ?string
    {
        $iterator = null;
        foreach ($arguments as $place => $argument) {
            if ($argument === '@iterator') {
                $arguments[$place] = &$iterator;
            }
        }
        try {
            @$redis->$method(...$arguments);
            return null;
        } catch (OneHop\Exception $e) {
            if ($e->mayHaveExecuted()) {
                $this->faults[] = "$method: " . $e->getMessage();
            }
            return $e->getKind();
        } catch (RedisException) {
            return null;
        }
    }

    /** The commands that a node has received since the last time, each as a list of words. */
    private function take(int $port): array
    {
        $lines = array_map(
            fn ($line) => explode(' ', explode(' ', $line, 2)[1]),
            lab_commands($port, forget: true),
        );
        return $lines;
    }

    private function nodeOf(string $key): string
    {
        return $this->topology->locate($key)->name;
    }

    /** A pattern with a hash tag before the * has one node; any other may match keys of all. */
    private function expected(array $entry, array $found): string
    {
        $nodes = [];
        foreach ($found as [$kind, $key]) {
            $isPlaced = $kind !== 'pattern' || preg_match('/^[^*{]*\{[^*}]+\}/', $key);
            $nodes[$isPlaced ? $this->nodeOf($key) : "every, by $key"] = true;
        }
        return match (true) {
            count($nodes) === 1 => array_key_first($nodes),
            $entry['spread'] === 'split' => 'split',
            default => 'CrossNode',
        };
    }

    /** True if the call would crash plain phpredis. Another test covers it. */
    private function isFatal(string $method, string $prefix): bool
    {
        $faults = $this->methods->find($method)['faults'] ?? [];
        return $prefix !== ''
            && in_array(true, array_column($faults, 'with_prefix'), true)
            && phpversion('redis') === '5.3.7';
    }

    /** One object per method: bytes that one method leaves unread must not answer another. */
    private function plain(string $method): Redis
    {
        if ($this->plainMethod !== $method || str_contains($method, 'scan')) {
            $this->plainMethod = $method;
            $this->plain = new Redis();
            $this->plain->connect('127.0.0.1', $this->plainPort);
        }
        return $this->plain;
    }

    public function call(string $method, array $arguments, bool $together, string $prefix): void
    {
        if ($this->isFatal($method, $prefix)) {
            return;
        }
        $arguments = $this->named($arguments, $together);
        $plain = $this->plain($method);
        $ours = new OneHop\Redis('alpha', $this->config);
        foreach ([$plain, $ours] as $redis) {
            $redis->setOption(Redis::OPT_PREFIX, $prefix);
        }
        $this->take($this->plainPort);
        $this->make($plain, $method, $arguments);
        [$words] = $this->take($this->plainPort) ?: [null];
        if ($words === null) {
            return;
        }
        $entry = $this->table->find($words);
        $found = $this->table->keys($words);
        if (!in_array($entry['spread'], ['one_node', 'split'], true) || $found === []) {
            return; /* Other tests cover it. */
        }
        $expected = $this->expected($entry, $found);
        if ($expected === 'split' && $this->table->timeout($words) !== null) {
            /* A wait on several nodes takes more than one command. Another test covers it. */
            return;
        }
        $this->judge(
            "$method(" . json_encode($arguments) . ')',
            $entry,
            $words,
            $expected,
            $this->make($ours, $method, $arguments),
        );
        $outcome = strlen($expected) === 1 ? 'one node' : $expected;
        $this->counts[$outcome] = ($this->counts[$outcome] ?? 0) + 1;
    }

    private function judge(
        string $what,
        array $entry,
        array $words,
        string $expected,
        ?string $thrown,
    ): void {
        $sent = array_filter(array_map($this->take(...), $this->ports));
        $keys = fn (array $command) => array_column($this->table->keys($command), 1);
        if ($expected === 'split') {
            $all = [];
            foreach ($sent as $node => $commands) {
                array_push($all, ...$keys($commands[0]));
                foreach ($keys($commands[0]) as $key) {
                    if (count($commands) !== 1 || $this->nodeOf($key) !== $node) {
                        $this->faults[] = "$what: $key was sent to $node";
                    }
                }
            }
            $wanted = $keys($words);
            sort($wanted);
            sort($all);
            if ($wanted !== $all) {
                $this->faults[] = "$what: sent " . json_encode($sent);
            }
        } elseif (
            $sent !== ($expected === 'CrossNode' ? [] : [$expected => [$words]])
            || $thrown !== ($expected === 'CrossNode' ? 'CrossNode' : null)
        ) {
            $this->faults[] = "$what: sent " . json_encode($sent) . ", expected $expected: "
                . json_encode($words) . ", thrown: $thrown";
        }
    }
}

$version = phpversion('redis');
$methods = new Methods($version);
$walk = new Walk(new Table(), $methods);
$calls = json_decode(
    file_get_contents(__DIR__ . '/../../../spec/route/phpredis_calls.json'),
    true,
)['calls'];
foreach ($calls as $method => $all) {
    if (
        !isset($methods->all[$method])
        || !in_array($methods->find($method)['kind'], ['command', 'raw'], true)
    ) {
        continue;
    }
    foreach ($all as $call) {
        if (in_array($version, $call['versions'] ?? [$version], true) && !isset($call['before'])) {
            foreach ([true, false] as $together) {
                $walk->call($method, $call['with'], $together, '');
                $walk->call($method, $call['with'], $together, 'p:');
            }
        }
    }
}
echo implode("\n", $walk->faults), "\n";
lab_show('many on one node', $walk->counts['one node'] > 800);
lab_show('some on several nodes', $walk->counts['split'] > 15);
lab_show('some refused', $walk->counts['CrossNode'] > 70);
?>
--EXPECT--
many on one node: true
some on several nodes: true
some refused: true
