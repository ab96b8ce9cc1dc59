<?php
/* Proves phpredis.json with the loaded phpredis and a real server: all methods, all forms of keys.
 *
 *     php probe.php                                     starts a temporary redis-server
 *     DIR/run php probe.php "DIR/run redis-server"      phpredis 6.2 on redis 8.0
 *     php probe.php redis-server get mset ...           these methods only
 *
 * DIR is the tree that trixie_root.sh unpacks.
 *
 * Each call of phpredis_calls.json is made through a wire tap (relay.php): plain, with OPT_PREFIX,
 * and with OPT_PREFIX and a serializer. Then three must agree: the keys that phpredis.json finds in
 * the arguments, the keys that commands.json finds in the words that were sent, and the keys that
 * the server finds in them (COMMAND GETKEYS).
 *
 * It also checks that a call sends one command only, the named one; that a local method sends
 * nothing; that the timeout is where the file says; that the connection stays in step whatever the
 * keys hold; and that each fault is still a fault. There are no strict types here: the arguments
 * come from JSON and are converted as a user's are. Spec: route.md, "phpredis' methods". */

require __DIR__ . '/../reference/table.php';
require __DIR__ . '/../reference/methods.php';
require __DIR__ . '/relay.php';

const MODES = [
    'plain' => [],
    'prefix' => [Redis::OPT_PREFIX => 'p:'],
    'prefix, serializer' => [
        Redis::OPT_PREFIX => 'p:',
        Redis::OPT_SERIALIZER => Redis::SERIALIZER_PHP,
    ],
];

/* What k1 and k2 hold during a call. After a reply of another type, or an error, phpredis may be
 * out of step. */
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

    /** A new object per call: subscriptions, transactions and failures must not affect the next. */
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

    /** Makes the call; false if it threw. Only what was sent matters here, not the value. */
    private function make(Redis $redis, string $method, array $arguments): bool
    {
        $iterator = null;
        $given = [];
        foreach ($arguments as $place => $argument) {
            if ($argument === '@iterator') {
                $given[$place] = &$iterator;
            } else {
                $given[$place] = $argument === '@callback' ? static fn () => null : $argument;
            }
        }
        try {
            @$redis->$method(...$given);
            return true;
        } catch (RedisException) {
            /* An error of the server, or the read timeout of a blocking call: it was sent. */
        } catch (Error $error) {
            $this->fault(
                "$method(" . json_encode($arguments) . '): cannot be called so: '
                    . $error->getMessage(),
            );
        }
        return false;
    }

    /** True if the next reply is read from its beginning: phpredis may leave bytes unread. */
    private static function inStep(Redis $redis): bool
    {
        $redis->setOption(Redis::OPT_READ_TIMEOUT, 20); // A busy server is not out of step.
        try {
            return $redis->getMode() !== Redis::ATOMIC || $redis->echo('in step') === 'in step';
        } catch (RedisException) {
            return false;
        }
    }

    /** Fills the database for a call, on the same connection. */
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
        return array_filter($entry['faults'] ?? [], fn ($fault) => applies($fault));
    }

    private function judge(
        string $what,
        array $entry,
        array $arguments,
        array $sent,
        string $prefix,
    ): void {
        $isMode = $entry['kind'] === 'mode' && !isset($entry['command']);
        $expected = $entry['kind'] === 'local' || $isMode ? 0 : 1;
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
        $keys = array_column(array_filter($inWords, fn ($key) => $key[0] === 'key'), 1);
        $server = $this->server($words);
        if ($server !== null && $server !== $keys) {
            $this->fault(
                "$what: keys " . json_encode($keys) . ', the server says ' . json_encode($server)
                    . '.',
            );
        }
    }

    /** The keys in the arguments. Some subcommands have none: XGROUP HELP, PUBSUB NUMPAT. */
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

    /** The server's keys, sorted; null if it cannot say: a short or an unknown command. */
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

    /** True if a call, in a process of its own, breaks the request, kills it or is out of step. */
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

    /** A fault of phpredis.json must still be a fault. */
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

    /** All calls of a method, in every mode and state, except those that would end this process. */
    public function method(string $method, array $calls): void
    {
        $entry = $this->methods->find($method);
        $faults = $this->applying($entry);
        $calls = array_values(array_filter($calls, fn ($call) => applies($call)));
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

/** True if a call or a fault holds for the loaded phpredis. */
function applies(array $line): bool
{
    return in_array(phpversion('redis'), $line['versions'] ?? [phpversion('redis')], true);
}

/** A server on a free loopback port, which dies with this process. */
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

/** Every state of the data in plain mode, every other mode once. */
function runs(): array
{
    $runs = array_map(fn ($state) => ['plain', $state], array_keys(STATES));
    return [
        ...$runs,
        ...array_map(fn ($mode) => [$mode, 'strings'], array_slice(array_keys(MODES), 1)),
    ];
}

/** True if a call meets a fault that would end this process. */
function forbidden(array $faults, array $arguments, bool $prefixed): bool
{
    foreach ($faults as $fault) {
        $word = strtolower(is_string($arguments[0] ?? null) ? $arguments[0] : '');
        $option = is_array($arguments[$fault['argument'] ?? -1] ?? null);
        if (
            $fault['is'] === 'subcommand' && in_array($word, $fault['names'], true)
            || ($fault['with_prefix'] ?? false) && $prefixed && $option
        ) {
            return true;
        }
    }
    return false;
}

/** Probes all methods, or those named, with a relay and a server that end afterwards. */
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
