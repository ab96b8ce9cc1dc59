<?php
/**
 * Shows what the workers of this host know about their nodes (OneHop\Topology::status()), as a page
 * for a browser, text for a terminal, JSON, or metrics for Prometheus.
 *
 * In a web server: put this file and its folder `onehop-status` where your php-fpm serves the file,
 * but outsiders cannot reach it. Add ?format=text, json or prometheus for the other formats. It
 * shows names and addresses of servers, never a password, and changes nothing.
 *
 * In a terminal: `php onehop-status.php /run/php/php8.2-fpm.sock [text|json|prometheus|html]` asks
 * that php-fpm (or host:port), and ends with the status of a monitoring plugin. The process of the
 * terminal itself has nothing to show.
 *
 * The numbers are those of spec/meter. docs/operations.md describes the fields.
 */

declare(strict_types=1);

namespace OneHop\Status;

const FORMATS = [
    'html' => 'text/html; charset=utf-8',
    'text' => 'text/plain; charset=utf-8',
    'json' => 'application/json',
    'prometheus' => 'text/plain; version=0.0.4; charset=utf-8',
];

const USAGE = <<<'TEXT'
usage: php onehop-status.php /path/of/php-fpm.sock|host:port [text|json|prometheus|html] [POOL]

Shows what the workers of that php-fpm know about the nodes of their server pools, or of one of
them. Ends with 0 if all is well; 1 if a node is ejected or has returned, or a file is refused; 2 if
a node is down; 3 if nothing could be asked.

TEXT;

const DOCS = 'https://github.com/onehop/onehop/blob/main/docs/operations.md';

/** A node that is up and has not answered for so many seconds is shown as quiet. */
const QUIET_AFTER = 300;

/* ---- Words ---- */

/** Removes escapes and line ends: names come from a file and reasons from a network. */
function plain(string $text): string
{
    return preg_replace('/[\x00-\x1f\x7f]|\xc2[\x80-\x9f]/', '?', $text);
}

function count_of(int $number): string
{
    return number_format($number, 0, '.', ',');
}

function percent(float $share): string
{
    return number_format(100 * $share, 1, '.', '') . ' %';
}

/** A duration for people; a dash for a node that was never called. */
function duration(int $us): string
{
    return match (true) {
        $us === 0 => '–',
        $us < 1_000 => "$us µs",
        $us < 1_000_000 => decimal($us / 1_000, $us < 10_000 ? 1 : 0) . ' ms',
        default => number_format($us / 1_000_000, 1, '.', '') . ' s',
    };
}

/** A number without ".0" at its end. */
function decimal(float $number, int $places): string
{
    return preg_replace('/\.0$/', '', number_format($number, $places, '.', ''));
}

function bytes(int $bytes): string
{
    foreach (['B', 'KiB', 'MiB', 'GiB', 'TiB'] as $step => $unit) {
        if ($bytes < 1024 ** ($step + 1) || $unit === 'TiB') {
            return number_format(
                $bytes / 1024 ** $step,
                $step && $bytes < 10 * 1024 ** $step ? 1 : 0,
                '.',
                ',',
            )
                . " $unit";
        }
    }
}

/** A span of whole seconds: 42 s, 5 min, 3 h, 2 d. */
function span(int $seconds): string
{
    return match (true) {
        $seconds < 120 => max(0, $seconds) . ' s',
        $seconds < 7_200 => intdiv($seconds, 60) . ' min',
        $seconds < 172_800 => intdiv($seconds, 3_600) . ' h',
        default => intdiv($seconds, 86_400) . ' d',
    };
}

function moment(int $seconds): string
{
    return date('Y-m-d H:i:s T', $seconds);
}

/** It is up as far as OneHop knows, but no caller has needed it for a while. */
function is_quiet(array $node): bool
{
    return $node['state'] === 'up' && time() - (int) $node['answered_at'] > QUIET_AFTER;
}

/** When the node last answered; for a node that is down, since when it has not. */
function answered(array $node): string
{
    if ($node['answered_at'] === null) {
        return 'no answer yet';
    }
    $ago = span(time() - $node['answered_at']);
    return $node['state'] === 'up'
        ? "answered $ago ago"
        : 'no answer since ' . moment($node['answered_at']) . ", for $ago";
}

function state(array $node): string
{
    if ($node['state'] === 'up') {
        return is_quiet($node) ? 'quiet' : 'up';
    }
    if ($node['state'] === 'returned') {
        return 'returned';
    }
    if (!$node['rests_ms']) {
        return "{$node['state']}, due";
    }
    return "{$node['state']}, next try in " . duration(1000 * $node['rests_ms']);
}

/** The node's part of the pool's calls, to compare with its share of the keys. */
function share_of_calls(array $node, array $pool): string
{
    $all = sum($pool, 'calls');
    return $all ? percent($node['calls'] / $all) : '–';
}

/** Calls per second, on average since counting began. */
function rate(array $node): string
{
    $seconds = $node['since'] === null ? 0 : time() - $node['since'];
    return $seconds > 0 ? decimal($node['calls'] / $seconds, 1) : '–';
}

/** The role of a node in its Redis Cluster. */
function role(array $node): string
{
    return $node['master'] === null ? (string) $node['role'] : "replica of {$node['master']}";
}

function is_cluster(array $pool): bool
{
    return array_filter(array_column($pool['nodes'], 'role')) !== [];
}

/** 0 for a node that is not asked, 1 for a node that failed lately, 2 for all others. */
function health(array $node): int
{
    return $node['state'] !== 'up' ? 0 : ($node['errors_recent'] ? 1 : 2);
}

/**
 * Sick nodes first, then replicas after their masters, otherwise as in the file.
 *
 * @return array<int, array<string, mixed>>
 */
function sorted(array $nodes): array
{
    $places = array_flip(array_column($nodes, 'node'));
    $order = static fn (int $at): array =>
        [health($nodes[$at]), $places[$nodes[$at]['master'] ?? ''] ?? $at, $at];
    uksort($nodes, static fn (int $a, int $b): int => $order($a) <=> $order($b));
    return $nodes;
}

function sum(array $pool, string $number): int
{
    return array_sum(array_column($pool['nodes'], $number));
}

/** The nodes of a server pool that are in this state. */
function in_state(array $pool, string $state): array
{
    return array_filter($pool['nodes'], static fn ($node) => $node['state'] === $state);
}

/** Sick pools first, then those whose file is refused. */
function by_health(array $pools): array
{
    $rank = static fn (array $pool): array => [!is_sick($pool), $pool['config']['ok']];
    usort($pools, static fn (array $a, array $b): int => $rank($a) <=> $rank($b));
    return $pools;
}

function is_sick(array $pool): bool
{
    return count(in_state($pool, 'up')) < count($pool['nodes']);
}

/** What the state of the nodes means for the keys, in one sentence. */
function verdict(array $pool): string
{
    $all = count($pool['nodes']);
    $down = in_state($pool, 'resting');
    $ejected = count(in_state($pool, 'ejected'));
    $returned = count(in_state($pool, 'returned'));
    $share = array_sum(array_column($down, 'share'));
    $are = static fn (int $count): string =>
        "$count of $all node" . ($all === 1 ? '' : 's') . ($count === 1 ? ' is' : ' are');
    if ($down) {
        return $are(count($down)) . ' down: '
            . ($share > 0 ? 'calls for ' . percent($share) . ' of the keys fail' : 'none has keys');
    }
    if ($ejected) {
        return $are($ejected) . ' ejected: all keys are on the other nodes meanwhile';
    }
    if ($returned) {
        return count(in_state($pool, 'up')) . " of $all nodes are up; "
            . ($returned === 1 ? '1 has not answered since its ejection'
                : "$returned have not answered since their ejection");
    }
    return $all === 1 ? 'the node is up' : "all $all nodes are up";
}

/** Since when the calls of a server pool are counted; null if none were. */
function since(array $pool): ?int
{
    return min(array_filter(array_column($pool['nodes'], 'since')) ?: [null]);
}

/** Without shared memory each process counts for itself, and any of them may answer. */
function is_alone(array $pool): bool
{
    return $pool['sharing']['nodes_max'] === 0;
}

/** Which connections the numbers leave out, if each worker has its own; otherwise empty. */
function own_connections(array $pool): string
{
    $scopes = array_column(array_column($pool['nodes'], 'connections'), 'scope');
    $nodes = count(array_keys($scopes, 'process', true));
    return $nodes === 0 || is_alone($pool) ? '' : 'each worker has its own connections, here to '
        . "$nodes of " . count($scopes) . " nodes: plan for workers x $nodes; leased, idle and max "
        . 'are those of the worker that answers';
}

/** The exit status of a monitoring plugin: 0 is well, 1 a warning, 2 critical. */
function severity(array $pools): int
{
    $worst = static fn (array $pool): int => in_state($pool, 'resting') ? 2
        : (int) (is_sick($pool) || !$pool['config']['ok']);
    return max([0, ...array_map($worst, $pools)]);
}

/** Why the current file is refused, and since when. */
function refusal(array $config): string
{
    return 'the file is refused since ' . moment($config['read_at'])
        . ": {$config['error']}; the configuration read before stays in use";
}

/** What the page says first about a server pool, the worst first. */
function verdicts(array $pool): array
{
    $nodes = [in_state($pool, 'resting') ? 'down' : 'ejected' => verdict($pool)];
    if ($pool['config']['ok']) {
        return $nodes;
    }
    $file = ['refused' => refusal($pool['config'])];
    return is_sick($pool) ? $nodes + $file : $file + $nodes;
}

/* ---- JSON ---- */

function json(array $pools): string
{
    $flags = JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PRESERVE_ZERO_FRACTION;
    return json_encode(['pools' => $pools], $flags) . "\n";
}

/* ---- Asking a php-fpm from a terminal ---- */

function record(int $type, string $content): string
{
    return pack('CCnnCC', 1, $type, 1, strlen($content), 0, 0) . $content;
}

/**
 * Makes one FastCGI request for this file.
 *
 * @return array{string, int} the answer without its headers, and its severity
 */
function ask(string $address, string $query): array
{
    $address = str_starts_with($address, '/') ? "unix://$address" : "tcp://$address";
    $stream = @stream_socket_client($address, $code, $message, 5);
    if (!$stream) {
        throw new \RuntimeException("$address: $message");
    }
    $parameters = '';
    foreach ([
        'SCRIPT_FILENAME' => __FILE__,
        'REQUEST_METHOD' => 'GET',
        'QUERY_STRING' => $query,
    ] as $name => $value) {
        $parameters .= pack('CN', strlen($name), strlen($value) | 1 << 31) . $name . $value;
    }
    fwrite(
        $stream,
        record(1, pack('nCx5', 1, 0)) . record(4, $parameters) . record(4, '') . record(5, ''),
    );
    stream_set_timeout($stream, 5);
    $answer = '';
    while (strlen($head = (string) stream_get_contents($stream, 8)) === 8) {
        $head = unpack('Cversion/Ctype/nid/nlength/Cpadding', $head);
        if ($head['type'] === 3) {
            break;
        }
        $content = (string) stream_get_contents($stream, $head['length'] + $head['padding']);
        $answer .= $head['type'] === 6 ? substr($content, 0, $head['length']) : '';
    }
    [$headers, $body] = explode("\r\n\r\n", $answer, 2) + ['', ''];
    if ($answer === '' || preg_match('/^Status: [^2]/mi', $headers)) {
        $reason = plain(trim($body))
            . (str_contains($headers, 'no-store') ? '' : ' (may its user read ' . __FILE__ . '?)');
        throw new \RuntimeException("$address: " . ($answer === '' ? 'no answer' : $reason));
    }
    preg_match('/^X-OneHop-Severity: (\d)/mi', $headers, $severity);
    return [$body, (int) ($severity[1] ?? 0)];
}

/* ---- The program ---- */

function show(string $format, array $pools): string
{
    if ($format !== 'json') {
        require_once __DIR__ . "/onehop-status/$format.php";
    }
    return match ($format) {
        'html' => page($pools),
        'text' => text($pools),
        'json' => json($pools),
        'prometheus' => prometheus($pools),
    };
}

function serve(): void
{
    $format = $_GET['format'] ?? 'html';
    $name = $_GET['pool'] ?? null;
    $pools = \OneHop\Topology::status();
    if ($name !== null) {
        $pools = array_values(array_filter($pools, static fn ($pool) => $pool['pool'] === $name));
    }
    header('Cache-Control: no-store');
    header('X-Content-Type-Options: nosniff');
    header("Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'");
    if (!is_string($format) || !isset(FORMATS[$format])) {
        http_response_code(400);
        header('Content-Type: text/plain; charset=utf-8');
        echo 'format is one of: ', implode(', ', array_keys(FORMATS)), "\n";
        return;
    }
    if ($name !== null && !$pools) {
        http_response_code(404);
        header('Content-Type: text/plain; charset=utf-8');
        echo "This server pool is not in use.\n";
        return;
    }
    header('Content-Type: ' . FORMATS[$format]);
    header('X-OneHop-Severity: ' . severity($pools));
    echo show($format, $pools);
}

function answer(array $arguments): int
{
    [, $address, $format, $pool] = $arguments + ['', '', 'text', null];
    if (in_array($address, ['-h', '--help'], true)) {
        echo USAGE;
        return 0;
    }
    if ($address === '' || !isset(FORMATS[$format])) {
        fwrite(STDERR, USAGE);
        return 3;
    }
    try {
        [$text, $severity] = ask($address, http_build_query(compact('format', 'pool')));
        echo $text;
        return $severity;
    } catch (\RuntimeException $exception) {
        fwrite(STDERR, $exception->getMessage() . "\n");
        return 3;
    }
}

if (PHP_SAPI === 'cli') {
    exit(answer($argv));
}
if (!extension_loaded('onehop')) {
    http_response_code(503);
    exit('The extension onehop is not loaded.');
}
serve();
