<?php
/* Proves phpredis.json with the loaded phpredis and a real server: every method, every way of giving it keys.
 *
 *     php probe.php                                     starts redis-server for the moment
 *     DIR/run php probe.php "DIR/run redis-server"      phpredis 6.2 on redis 8.0 (DIR: see trixie_root.sh)
 *     php probe.php redis-server get mset ...           these methods only
 *
 * Each call of phpredis_calls.json is made through a wire tap (relay.php), plain, with OPT_PREFIX, and with
 * OPT_PREFIX and a serializer. Then three must agree: the keys phpredis.json finds in the arguments, the keys
 * commands.json finds in the words that were sent, and the keys the server itself finds in them (COMMAND GETKEYS).
 * Checked too: one call sends one command, it is the one named, a local method sends nothing, the timeout stands
 * where the file says, the connection is in step afterwards whatever the keys hold, and every fault is still one. (No
 * strict types here: the arguments come from JSON and are converted as a user's are.) Spec: route.md, "phpredis'
 * methods". */

require __DIR__ . '/../reference/table.php';
require __DIR__ . '/../reference/methods.php';
require __DIR__ . '/relay.php';

const MODES = ['plain' => [], 'prefix' => [Redis::OPT_PREFIX => 'p:'], 'prefix, serializer' => [
    Redis::OPT_PREFIX => 'p:',
    Redis::OPT_SERIALIZER => Redis::SERIALIZER_PHP,
]];

/* What k1 and k2 hold during a call: a reply of another type, or an error, is where phpredis may lose its step. */
const STATES = [
    'nothing' => [], 'strings' => ['SET', 'v'], 'lists' => ['RPUSH', 'v'], 'sets' => ['SADD', 'v'],
    'sorted sets' => ['ZADD', '1', 'm'], 'hashes' => ['HSET', 'f1', 'v'],
    'streams' => ['XADD', '*', 'f1', 'v'],
];

final class Probe
{
    public array $faults = [];
    public int $calls = 0;
    public int $asked = 0;
    private Redis $direct;

    public function __construct(
        private Methods $methods,
        private Table $table,
        private Relay $relay,
        private int $serverPort,
    ) {
        $this->connectDirect();
    }

    private function connectDirect(): void
    {
        $this->direct = new Redis();
        $this->direct->connect('127.0.0.1', $this->serverPort);
    }

    private function fault(string $what): void
    {
        $this->faults[] = $what;
    }

    /** A fresh object per call: subscriptions, transactions and failures of one call must not touch the next. */
    private function object(array $options): Redis
    {
        $redis = new Redis();
        $redis->connect('127.0.0.1', $this->relay->port);
        $redis->setOption(Redis::OPT_READ_TIMEOUT, 0.25);
        foreach ($options as $option => $value) {
            $redis->setOption($option, $value);
        }
        return $redis;
    }

    /** Makes the call; false when it threw. What it returns does not matter here: only what was sent does. */
    private function make(Redis $redis, string $method, array $arguments): bool
    {
        $iterator = null;
        $given = [];
        foreach ($arguments as $place => $argument) {
            if ($argument === '@iterator') {
                $given[$place] = &$iterator;
            } else {
                $given[$place] = $argument === '@callback' ? static fn() => null : $argument;
            }
        }
        try {
            @$redis->$method(...$given);
            return true;
        } catch (RedisException) {
            /* A refusal of the server or the read timeout of a blocking call: the command was sent. */
        } catch (Error $error) {
            $this->fault(
                "$method(" . json_encode($arguments) . '): cannot be called so: '
                    . $error->getMessage(),
            );
        }
        return false;
    }

    /** Whether the next reply is read where it begins: phpredis may leave part of a reply unread. */
    private static function inStep(Redis $redis): bool
    {
        $redis->setOption(Redis::OPT_READ_TIMEOUT, 20); // A busy server is not out of step.
        try {
            return $redis->getMode() !== Redis::ATOMIC || $redis->echo('in step') === 'in step';
        } catch (RedisException) {
            return false;
        }
    }

    /** Fills the database for a call. The server may have been told to restart its data; the connection stays. */
    private function hold(string $state): void
    {
        $this->direct->rawCommand('FLUSHALL');
        foreach (STATES[$state] ? ['k1', 'k2'] : [] as $key) {
            $this->direct->rawCommand(STATES[$state][0], $key, ...array_slice(STATES[$state], 1));
        }
    }

    public function call(string $method, array $call, string $mode, string $state): void
    {
        $this->hold($state);
        $redis = $this->object(MODES[$mode]);
        foreach ($call['before'] ?? [] as $before) {
            $this->make($redis, $before[0], array_slice($before, 1));
        }
        $this->relay->forget();
        $answered = $this->make($redis, $method, $call['with'] ?? []);
        $sent = $this->relay->commands();
        $this->calls++;
        $what = "$method(" . substr(json_encode($call['with'] ?? []), 1, -1) . "), $mode, $state";
        $entry = $this->methods->find($method);
        $this->judge(
            $what,
            $entry,
            $call['with'] ?? [],
            $sent,
            MODES[$mode][Redis::OPT_PREFIX] ?? '',
        );
        $known = in_array('error_reply', array_column($this->applying($entry), 'is'), true);
        if ($answered && !$known && !self::inStep($redis)) {
            $this->fault("$what: out of step afterwards.");
        }
    }

    /** The faults of an entry that this version of phpredis has. */
    public function applying(array $entry): array
    {
        return array_filter($entry['faults'] ?? [], fn($fault) => applies($fault));
    }

    private function judge(
        string $what,
        array $entry,
        array $arguments,
        array $sent,
        string $prefix,
    ): void {
        $expected = $entry['kind'] === 'local'
            || $entry['kind'] === 'mode' && !isset($entry['command']) ? 0 : 1;
        if (count($sent) !== $expected || in_array(null, $sent, true)) {
            $this->fault("$what: sent " . json_encode($sent) . ", expected $expected command(s).");
            return;
        }
        if ($expected === 1) {
            $this->name($what, $entry, $arguments, $sent[0]);
            $this->keys($what, $entry, $arguments, $sent[0], $prefix);
            $this->timeout($what, $entry, $arguments, $sent[0]);
        }
    }

    private function name(string $what, array $entry, array $arguments, array $words): void
    {
        $named = $entry['kind'] === 'raw'
            ? [strtolower($arguments[0])]
            : [$entry['command'], ...$entry['also'] ?? []];
        if (!in_array(strtolower($words[0]), $named, true)) {
            $this->fault("$what: sent $words[0], named is " . implode(' or ', $named) . '.');
        }
    }

    private function keys(
        string $what,
        array $entry,
        array $arguments,
        array $words,
        string $prefix,
    ): void {
        $inWords = $this->table->keys($words);
        $inArguments = $entry['kind'] === 'raw'
            ? $this->table->keys(array_map('strval', $arguments))
            : $this->containerless($entry, $arguments, $prefix);
        sort($inWords);
        sort($inArguments);
        if ($inWords !== $inArguments) {
            $this->fault("$what: keys " . json_encode($inArguments) . ' by phpredis.json, '
                . json_encode($inWords) . ' by commands.json.');
        }
        $keys = array_column(array_filter($inWords, fn($key) => $key[0] === 'key'), 1);
        $server = $this->server($words);
        if ($server !== null && $server !== $keys) {
            $this->fault(
                "$what: keys " . json_encode($keys) . ', the server says ' . json_encode($server)
                    . '.',
            );
        }
    }

    /** A subcommand without keys (XGROUP HELP, PUBSUB NUMPAT) has none, whatever its siblings take. */
    private function containerless(array $entry, array $arguments, string $prefix): array
    {
        if (isset($entry['subcommand'], $arguments[$entry['subcommand']])) {
            $name = $entry['command'] . '|' . strtolower((string) $arguments[$entry['subcommand']]);
            if (empty($this->table->commands[$name]['keys'])) {
                return [];
            }
        }
        return $this->methods->keys($entry, $arguments, $prefix);
    }

    /** The server's own word, sorted; null where it has none: one word alone, or a command it does not know. */
    private function server(array $words): ?array
    {
        if (
            count($words) < 3
            || $this->direct->rawCommand('COMMAND', 'INFO', $words[0])[0] === false
        ) {
            return null;
        }
        $this->asked++;
        $keys = $this->direct->rawCommand('COMMAND', 'GETKEYS', ...$words) ?: [];
        sort($keys);
        return $keys;
    }

    private function timeout(string $what, array $entry, array $arguments, array $words): void
    {
        $inWords = $this->table->timeout($words);
        $place = $entry['timeout']['argument'] ?? null;
        $argument = $place === null
            ? null
            : ($arguments[$place < 0 ? count($arguments) + $place : $place] ?? null);
        $same = $inWords === null ? $argument === null : $argument !== null
            && (float) $inWords === (float) $argument;
        if (!$same) {
            $this->fault("$what: timeout " . json_encode($argument) . ' by phpredis.json, '
                . json_encode($inWords) . ' by commands.json.');
        }
    }

    /** Whether a call, made in a process of its own, breaks the request, kills the process or leaves it out of step. */
    public function breaks(string $method, array $arguments, array $options): bool
    {
        $this->hold('strings');
        $this->relay->forget();
        $child = pcntl_fork();
        if ($child === 0) {
            fclose(STDERR);
            $redis = $this->object($options);
            $this->make($redis, $method, $arguments);
            exit(self::inStep($redis) ? 0 : 1);
        }
        pcntl_waitpid($child, $status);
        $this->calls++;
        $this->connectDirect();
        return pcntl_wifsignaled($status) || pcntl_wexitstatus($status) !== 0
            || in_array(null, $this->relay->commands(), true);
    }

    /** A call that phpredis.json calls a fault must still be one. */
    public function stillAFault(string $method, array $fault, array $calls): void
    {
        $arguments = faulty($fault, $calls);
        if (!$this->breaks(
            $method,
            $arguments,
            ($fault['with_prefix'] ?? false) ? MODES['prefix'] : [],
        )) {
            $this->fault(
                "$method(" . json_encode($arguments)
                    . '): no fault any more, against phpredis.json: ' . $fault['reason'],
            );
        }
    }

    /** All calls of one method, in every mode and state, but for those that would end this process. */
    public function method(string $method, array $calls): void
    {
        $entry = $this->methods->find($method);
        $faults = $this->applying($entry);
        $calls = array_values(array_filter($calls, fn($call) => applies($call)));
        foreach ($entry['kind'] === 'own' ? [] : $calls as $call) {
            foreach (runs() as [$mode, $state]) {
                if (!forbidden($faults, $call['with'] ?? [], MODES[$mode] !== [])) {
                    $this->call($method, $call, $mode, $state);
                }
            }
        }
        foreach ($faults as $fault) {
            $this->stillAFault($method, $fault, $calls);
        }
    }
}

/** Whether a call or fault holds for the loaded phpredis. */
function applies(array $line): bool
{
    return in_array(phpversion('redis'), $line['versions'] ?? [phpversion('redis')], true);
}

/** A server of our own on a free loopback port; it dies with this process. */
function started(string $program, string $directory): array
{
    $listener = stream_socket_server('tcp://127.0.0.1:0');
    $port = (int) substr(strrchr(stream_socket_get_name($listener, false), ':'), 1);
    fclose($listener);
    $command = [
        'setpriv', '--pdeathsig', 'KILL', ...explode(' ', $program), '--port', "$port", '--bind',
        '127.0.0.1', '--save', '', '--dir', $directory, '--logfile', '/dev/null',
    ];
    $process = proc_open($command, [1 => ['file', '/dev/null', 'w']], $pipes);
    for ($i = 0; $i < 200 && !@fsockopen('127.0.0.1', $port); $i++) {
        usleep(50000);
    }
    return [$process, $port];
}

/** Arguments that meet one fault's condition, built from the method's first call. */
function faulty(array $fault, array $calls): array
{
    if ($fault['is'] === 'error_reply') {
        return $calls[0]['with'][0] === '@iterator' ? ['@iterator', 'k*', -1] : $calls[0]['with'];
    }
    if ($fault['is'] === 'subcommand') {
        return [$fault['names'][0]];
    }
    if ($fault['is'] === 'option') {
        $arguments = array_slice($calls[0]['with'], 0, $fault['argument']);
        return [...$arguments, [$fault['names'][0] => 'k2']];
    }
    $arguments = ['k1', 'w_*', 'o_*', 0, 5, 'k2'];
    $arguments[$fault['argument']] = $fault['is'] === 'array' ? ['o_*', '#'] : '';
    return array_slice($arguments, 0, max(3, $fault['argument'] + 1));
}

/** Every state of the data plainly, every other mode once. */
function runs(): array
{
    $runs = array_map(fn($state) => ['plain', $state], array_keys(STATES));
    return [
        ...$runs,
        ...array_map(fn($mode) => [$mode, 'strings'], array_slice(array_keys(MODES), 1)),
    ];
}

/** Whether a call meets a fault that must not be met in this process. */
function forbidden(array $faults, array $arguments, bool $prefixed): bool
{
    foreach ($faults as $fault) {
        $word = strtolower(is_string($arguments[0] ?? null) ? $arguments[0] : '');
        $option = is_array($arguments[$fault['argument'] ?? -1] ?? null);
        if ($fault['is'] === 'subcommand' && in_array($word, $fault['names'], true)
            || ($fault['with_prefix'] ?? false) && $prefixed && $option) {
            return true;
        }
    }
    return false;
}

/** All methods, or those named, by a relay and a server that are gone afterwards. */
function run(string $program, array $only): Probe
{
    $directory = sys_get_temp_dir() . '/probe-' . getmypid();
    mkdir($directory);
    [$process, $port] = started($program, $directory);
    $relay = new Relay($port);
    try {
        $methods = new Methods(phpversion('redis'));
        $probe = new Probe($methods, new Table(), $relay, $port);
        if ($probe->breaks('get', ['k1'], MODES['prefix'])) {
            throw new RuntimeException(
                'A sound call is taken for a fault: the probe itself is broken.',
            );
        }
        $page = json_decode(
            file_get_contents(__DIR__ . '/../../route/phpredis_calls.json'),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        foreach (array_intersect_key($page['calls'], $methods->all) as $method => $calls) {
            if (!$only || in_array($method, $only, true)) {
                $probe->method($method, $calls);
            }
        }
        return $probe;
    } finally {
        $relay->stop();
        proc_terminate($process, 9);
        proc_close($process);
        exec('rm -r ' . escapeshellarg($directory));
    }
}

$probe = run($argv[1] ?? 'redis-server', array_slice($argv, 2));
echo 'phpredis ', phpversion('redis'),
    ": $probe->calls calls, $probe->asked compared with the server, ",
     count($probe->faults), " wrong.\n";
echo implode("\n", $probe->faults), $probe->faults ? "\n" : '';
exit($probe->faults ? 1 : 0);
