<?php
/* Proves which well-formed replies the loaded phpredis survives: `promise` of phpredis.json.
 *
 *     php survive.php                  every method, alone, in a pipeline and in a transaction
 *     php survive.php hMget xclaim     these methods only
 *     php -d extension=onehop.so survive.php --onehop     OneHop\Redis must survive all
 *
 * Each call of phpredis_calls.json gets each reply of REPLIES, from a server in a child process.
 * Children make the calls, because a reply may end the process. Memory that is freed is filled, so
 * that its use shows. Prints the methods that died; fails if one of them has no promise, or if one
 * with a promise never died. Spec: route.md, "Replies that end the process". */

const PAGES = __DIR__ . '/../../route';
define('IS_OURS', in_array('--onehop', $argv, true));
const MODES = ['alone', 'pipeline', 'transaction'];
/* They open a mode, or wait for messages. */
const LEFT_OUT = [
    'connect', 'open', 'pconnect', 'popen', 'close', 'multi', 'exec', 'discard', 'pipeline', 'auth',
    'subscribe', 'psubscribe', 'ssubscribe', 'unsubscribe', 'punsubscribe', 'sunsubscribe',
];

if (getenv('USE_ZEND_ALLOC') !== '0') {
    putenv('USE_ZEND_ALLOC=0');
    putenv('MALLOC_PERTURB_=165');
    $options = array_slice(explode("\0", file_get_contents('/proc/self/cmdline')), 1, -1);
    pcntl_exec(PHP_BINARY, $options);
}
error_reporting(0);

function bulk(string $text): string
{
    return '$' . strlen($text) . "\r\n$text\r\n";
}
function listed(string ...$values): string
{
    return '*' . count($values) . "\r\n" . implode('', $values);
}

$entry = listed(bulk('1-0'), listed(bulk('f'), bulk('v')));
$replies = [
    'nil' => "\$-1\r\n", 'nil list' => "*-1\r\n", 'integer' => ":5\r\n", 'OK' => "+OK\r\n",
    'text' => bulk('text'), 'empty text' => bulk(''), 'number' => bulk('12'),
    'empty list' => listed(), 'list of 1' => listed(bulk('a')),
    'list of 2' => listed(bulk('a'), bulk('b')),
    'list of 20' => listed(...array_fill(0, 20, bulk('x'))),
    'list of 500' => listed(...array_fill(0, 500, bulk('longer text'))),
    'integers' => listed(":1\r\n", ":2\r\n", ":3\r\n"), 'nils' => listed("\$-1\r\n", "\$-1\r\n"),
    'no values' => listed(bulk('a'), "\$-1\r\n", bulk('b'), "\$-1\r\n"),
    'no names' => listed("\$-1\r\n", bulk('a'), "\$-1\r\n", bulk('b')),
    'numbers of names' => listed(bulk('a'), ":1\r\n", bulk('b'), ":2\r\n"),
    'nil last' => listed(bulk('a'), bulk('1'), bulk('b'), "\$-1\r\n"),
    'odd map' => listed(bulk('a'), ":1\r\n", bulk('b')),
    'lists' => listed(listed(bulk('a'), bulk('b')), listed(bulk('c'))),
    'lists of lists' => listed(listed(listed(bulk('a'), bulk('b')))),
    'deep' => str_repeat("*1\r\n", 7) . bulk('x'),
    'cursor' => listed(bulk('0'), listed(bulk('a'), bulk('b'), bulk('c'))),
    'cursor and nil' => listed(bulk('0'), "*-1\r\n"), 'nil lists' => listed("*-1\r\n", "*-1\r\n"),
    'empty lists' => listed("*0\r\n", "*0\r\n"), 'entries' => listed($entry, $entry),
    'entry and short list' => listed($entry, listed(bulk('2-0'))),
    'entry and nil list' => listed($entry, "*-1\r\n"),
    'entry and text' => listed($entry, bulk('a')),
    'text and entry' => listed(bulk('a'), $entry),
    'text and short list' => listed(bulk('a'), listed(bulk('2-0'))),
    'streams' => listed(listed(bulk('s'), listed($entry))),
    'stream, entry and text' => listed(listed(bulk('s'), listed($entry, bulk('a')))),
    'stream, entry and nil list' => listed(listed(bulk('s'), listed($entry, "*-1\r\n"))),
    'stream, entry and short list' => listed(listed(bulk('s'), listed($entry, listed(bulk('a'))))),
    'stream and text' => listed(listed(bulk('s'), listed($entry)), bulk('a')),
    'stream and nil list' => listed(listed(bulk('s'), listed($entry)), "*-1\r\n"),
    'stream and short list' => listed(listed(bulk('s'), listed($entry)), listed(bulk('a'))),
    'stream without list' => listed(
        listed(bulk('s'), listed($entry)),
        listed(bulk('s'), bulk('a')),
    ),
    'entry and nested' => listed($entry, listed(bulk('1-0'), listed(listed(bulk('f')), bulk('v')))),
    'nested and entry' => listed(listed(bulk('1-0'), listed(listed(bulk('f')), bulk('v'))), $entry),
    'nil entries' => listed(listed(bulk('1-0'), "*-1\r\n"), listed(bulk('2-0'), "*-1\r\n")),
    'nil texts' => listed(listed(bulk('1-0'), "\$-1\r\n"), listed(bulk('2-0'), "\$-1\r\n")),
    'entry and long' => listed($entry, listed(bulk('1-0'), listed(), ":1\r\n", ":2\r\n")),
    'odd entry' => listed($entry, listed(bulk('1-0'), listed(bulk('f')))),
    'list as ID' => listed($entry, listed(listed(bulk('1-0')), listed(bulk('f'), bulk('v')))),
    'list as stream' => listed(listed(bulk('s'), listed($entry)), listed(listed(), listed($entry))),
    'odd stream' => listed(listed(bulk('s'), listed(listed(bulk('1-0'), listed(bulk('f')))))),
    'empty stream' => listed(listed(bulk('s'), listed(listed(bulk('1-0'), "*-1\r\n")))),
    'cursor and no values' => listed(bulk('0'), listed(bulk('a'), "\$-1\r\n")),
    'cursor and no names' => listed(bulk('0'), listed("\$-1\r\n", bulk('a'))),
    'error as value' => listed(bulk('a'), "-ERR x\r\n"),
    'error inside' => listed("-ERR x\r\n", bulk('a')), 'statuses' => listed("+OK\r\n", "+OK\r\n"),
    'error' => "-ERR no\r\n", 'wrong type' => "-WRONGTYPE no\r\n",
    'lines' => bulk("a:b\r\n# C\r\nd\r\ne:f:g\r\n"), 'clients' => bulk("id=1 addr=x\nid=2"),
    'map' => "%2\r\n" . bulk('a') . bulk('b') . bulk('c') . ":1\r\n",
    'set' => "~2\r\n" . bulk('a') . bulk('b'), 'double' => ",1.5\r\n", 'null' => "_\r\n",
    'boolean' => "#t\r\n", 'verbatim' => "=7\r\ntxt:abc\r\n", 'bulk error' => "!5\r\nERR x\r\n",
];

/** The words of the next command, or null at the end. */
function command($connection): ?array
{
    $words = [];
    $count = (int) substr((string) fgets($connection), 1);
    for (; $count > 0; $count--) {
        $length = (int) substr(fgets($connection), 1);
        $words[] = substr(stream_get_contents($connection, $length + 2), 0, -2);
    }
    return $words ?: null;
}
/** Answers all commands with the reply in the file. */
function serve($connection, string $file): void
{
    for ($isOpen = false; $words = command($connection);) {
        $reply = file_get_contents($file);
        $name = strtoupper($words[0]);
        $answer = match (true) {
            $name === 'MULTI' => "+OK\r\n",
            $name === 'EXEC' => "*1\r\n$reply",
            default => $isOpen ? "+QUEUED\r\n" : $reply,
        };
        $isOpen = $name === 'MULTI' || $isOpen && $name !== 'EXEC';
        fwrite($connection, $answer);
    }
}

$file = tempnam(sys_get_temp_dir(), 'survive');
register_shutdown_function(fn () => unlink($file));
$server = stream_socket_server('tcp://127.0.0.1:0');
$port = (int) substr(strrchr(stream_socket_get_name($server, false), ':'), 1);
if (pcntl_fork() === 0) {
    pcntl_signal(SIGCHLD, SIG_IGN);
    /* Ends with its parent. */
    for ($parent = posix_getppid(); posix_getppid() === $parent;) {
        if ($connection = @stream_socket_accept($server, 1)) {
            /* OneHop keeps connections, so each has a process of its own. */
            if (!IS_OURS || pcntl_fork() === 0) {
                serve($connection, $file);
                IS_OURS && posix_kill(getmypid(), SIGKILL);
            }
            fclose($connection);
        }
    }
    posix_kill(getmypid(), SIGKILL);
}
fclose($server);

function made(mixed $value): mixed
{
    $one = $value === '@callback' ? fn () => 1 : $value;
    return is_array($value) ? array_map('made', $value) : $one;
}
function client(int $port, string $file): Redis
{
    if (IS_OURS) {
        file_put_contents($file, "+PONG\r\n");
        $servers = ['servers' => ["127.0.0.1:$port"], 'timeout' => 5000];
        $redis = new OneHop\Redis('alpha', $servers + ['server_failure_limit' => 1000]);
        $redis->get('k1');
        return $redis;
    }
    $redis = new Redis();
    while (!@$redis->connect('127.0.0.1', $port, 5)) {
    }
    $redis->setOption(Redis::OPT_READ_TIMEOUT, 0.05);
    return $redis;
}
function call(
    int $port,
    string $file,
    string $mode,
    string $method,
    array $with,
    string $reply,
): void {
    $redis = client($port, $file);
    file_put_contents($file, $reply);
    $iterator = null;
    foreach (made($with) as $i => $argument) {
        $arguments[$i] = $argument;
        if ($argument === '@iterator') {
            $arguments[$i] = &$iterator;
        }
    }
    match ($mode) {
        'pipeline' => $redis->pipeline(),
        'transaction' => $redis->multi(),
        default => null,
    };
    $redis->$method(...$arguments ?? []);
    if ($mode !== 'alone') {
        $redis->exec();
    }
}

/** The names of the replies that ended the process. */
function deaths(
    int $port,
    string $file,
    string $mode,
    string $method,
    array $with,
    array $replies,
): array {
    $died = [];
    for ($left = $replies; $left;) {
        [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        if (($child = pcntl_fork()) === 0) {
            foreach ($left as $reply) {
                fwrite($there, '.');
                try {
                    call($port, $file, $mode, $method, $with, $reply);
                } catch (Throwable) {
                }
            }
            posix_kill(getmypid(), SIGKILL);
        }
        fclose($there);
        $begun = strlen(stream_get_contents($here));
        pcntl_waitpid($child, $status);
        if (!pcntl_wifsignaled($status) || pcntl_wtermsig($status) !== SIGKILL) {
            $died[] = array_keys($left)[$begun - 1];
        }
        $left = array_slice($left, $begun);
    }
    return $died;
}

$page = json_decode(file_get_contents(PAGES . '/phpredis.json'), true)['methods'];
$calls = json_decode(file_get_contents(PAGES . '/phpredis_calls.json'), true)['calls'];
$chosen = array_map(strtolower(...), array_diff(array_slice($argv, 1), ['--onehop']));
$died = $made = [];
foreach ($calls as $method => $forms) {
    $name = strtolower($method);
    if (
        in_array($name, LEFT_OUT) || !method_exists('Redis', $method)
        || ($chosen && !in_array($name, $chosen))
    ) {
        continue;
    }
    foreach ($forms as $form) {
        if (!in_array(phpversion('redis'), $form['versions'] ?? [phpversion('redis')])) {
            continue;
        }
        $isWalk = in_array('@iterator', $form['with'], true);
        foreach (MODES as $mode) {
            /* Cursors have no place there: route.md, "phpredis' methods". */
            if ($isWalk && $mode !== 'alone') {
                continue;
            }
            $made[] = count($replies);
            foreach (deaths($port, $file, $mode, $method, $form['with'], $replies) as $reply) {
                $died[$method][$reply][] = $mode;
            }
        }
    }
}
$faults = 0;
foreach ($died as $method => $by) {
    echo "$method dies of: ", implode(', ', array_keys($by)), "\n";
    $faults += IS_OURS || !isset($page[$method]['promise']);
}
foreach ($page as $method => $row) {
    $isAsked = !$chosen || in_array(strtolower($method), $chosen);
    /* 5.3.7 survives `names`. */
    $mustDie = ($row['promise'] ?? 'names') !== 'names' && !IS_OURS
        && phpversion('redis') === '5.3.7';
    if ($mustDie && $isAsked && !isset($died[$method])) {
        echo "$method has a promise, and survives\n";
        $faults++;
    }
}
printf(
    "phpredis %s: %d calls, %d methods die, %d faults\n",
    phpversion('redis'),
    array_sum($made),
    count($died),
    $faults,
);
exit($faults ? 1 : 0);
