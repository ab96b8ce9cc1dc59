<?php
/**
 * Shows what the workers of this host know about their nodes (OneHop\Topology::status()), as a page
 * for a browser, text for a terminal, JSON, or metrics for Prometheus.
 *
 * In a web server: put this file where your php-fpm serves it but outsiders cannot reach it. Add
 * ?format=text, json or prometheus for the other formats. It shows names and addresses of servers,
 * never a password, and changes nothing.
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
them. Ends with 0 if all is well; 1 if a node is ejected or a file is refused; 2 if a node is down;
3 if nothing could be asked.

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

function html(string|int $text): string
{
    return htmlspecialchars((string) $text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
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

/** When the node last answered; of one that is down, since when it has not. */
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
    if (!$node['rests_ms']) {
        return "{$node['state']}, due";
    }
    return "{$node['state']}, next try in " . duration(1000 * $node['rests_ms']);
}

/** How much of the pool's calls the node has had, beside its share of the keys. */
function share_of_calls(array $node, array $pool): string
{
    $all = sum($pool, 'calls');
    return $all ? percent($node['calls'] / $all) : '–';
}

/** Calls a second, on average since they are counted. */
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

/** 0 for a node that is not asked, 1 for one that failed lately, 2 for the others. */
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
    return $all === 1 ? 'the node is up' : "all $all nodes are up";
}

/** Since when the numbers of a server pool count; null if nothing was counted. */
function since(array $pool): ?int
{
    return min(array_filter(array_column($pool['nodes'], 'since')) ?: [null]);
}

/** Without shared memory each process counts for itself, and any of them may answer. */
function is_alone(array $pool): bool
{
    return $pool['sharing']['nodes_max'] === 0;
}

/** What the numbers of connections leave out, if each worker has its own; otherwise empty. */
function own_connections(array $pool): string
{
    $scopes = array_column(array_column($pool['nodes'], 'connections'), 'scope');
    $nodes = count(array_keys($scopes, 'process', true));
    return $nodes === 0 || is_alone($pool) ? '' : 'each worker has its own connections, here to '
        . "$nodes of " . count($scopes) . " nodes: plan for workers x $nodes; leased, idle and max "
        . 'are those of the worker that answers';
}

/** What monitoring plugins say: 0 is well, 1 a warning, 2 critical. */
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

/** What to know of a server pool at once, the worst first. */
function verdicts(array $pool): array
{
    $nodes = [in_state($pool, 'resting') ? 'down' : 'ejected' => verdict($pool)];
    if ($pool['config']['ok']) {
        return $nodes;
    }
    $file = ['refused' => refusal($pool['config'])];
    return is_sick($pool) ? $nodes + $file : $file + $nodes;
}

/* ---- Text ---- */

function text(array $pools): string
{
    if (!$pools) {
        return 'No server pool is in use: no client was made yet by a process that shares its '
            . "memory with this one.\n";
    }
    $text = '';
    foreach (by_health($pools) as $pool) {
        $since = since($pool);
        foreach (verdicts($pool) as $verdict) {
            $text .= plain("{$pool['pool']}: $verdict") . "\n";
        }
        $text .= '  ' . plain($pool['path']) . ", generation {$pool['generation']}, "
            . "{$pool['distribution']}, {$pool['hash']}, fingerprint {$pool['fingerprint']}\n"
            . ($since ? '  numbers since ' . moment($since) . "\n" : '')
            . (is_alone($pool) ? "  numbers of one process only: no memory is shared\n" : '')
            . (own_connections($pool) ? '  ' . own_connections($pool) . "\n" : '') . "\n"
            . table(array_map(
                static fn (array $node): array => row($node, $pool),
                array_values(sorted($pool['nodes'])),
            )) . "\n";
        foreach ($pool['nodes'] as $node) {
            $text .= $node['reason'] === null
                ? ''
                : '  ' . plain($node['node']) . ': ' . plain($node['reason']) . "\n\n";
        }
    }
    return $text;
}

/** For a column of its own. */
function answered_ago(array $node): string
{
    return $node['answered_at'] === null ? '–' : span(time() - $node['answered_at']) . ' ago';
}

function row(array $node, array $pool): array
{
    $connections = $node['connections'];
    return [
        'node' => plain($node['node']), 'address' => plain($node['address']),
    ] + (is_cluster($pool) ? ['role' => plain(role($node))] : []) + [
        'state' => state($node), 'answered' => answered_ago($node),
        'share' => percent($node['share']), 'of calls' => share_of_calls($node, $pool),
        'leased' => (string) $connections['leased'], 'idle' => (string) $connections['idle'],
        'max' => (string) $connections['max'],
        'calls' => count_of($node['calls']), 'a second' => rate($node),
        'errors' => count_of($node['errors']),
        '5 min' => count_of($node['errors_recent']),
        'p50' => duration($node['latency']['p50']), 'p99' => duration($node['latency']['p99']),
        'redirects' => count_of($node['redirects']), 'waits' => count_of($node['waits']),
        'connects' => count_of($node['connects']),
        'sent' => bytes($node['bytes_sent']), 'received' => bytes($node['bytes_received']),
    ];
}

/** Aligns words to the left and numbers to the right. */
function table(array $rows): string
{
    $text = '';
    array_unshift($rows, array_combine(array_keys($rows[0]), array_keys($rows[0])));
    foreach ($rows as $row) {
        $cells = [];
        foreach ($row as $name => $cell) {
            $gap = str_repeat(
                ' ',
                max(array_map(width(...), array_column($rows, $name))) - width($cell),
            );
            $cells[] = in_array($name, ['node', 'address', 'role', 'state', 'answered'], true)
                ? $cell . $gap
                : $gap . $cell;
        }
        $text .= '  ' . rtrim(implode('  ', $cells)) . "\n";
    }
    return $text;
}

/** Counts UTF-8 characters without needing mbstring. */
function width(string $text): int
{
    return strlen(preg_replace('/[\x80-\xbf]/', '', $text));
}

/* ---- JSON ---- */

function json(array $pools): string
{
    $flags = JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PRESERVE_ZERO_FRACTION;
    return json_encode(['pools' => $pools], $flags) . "\n";
}

/* ---- Prometheus ---- */

function labels(array $labels): string
{
    $pairs = [];
    foreach ($labels as $name => $value) {
        $value = preg_match('//u', $value) ? $value : preg_replace('/[\x80-\xff]/', '?', $value);
        $pairs[] = $name . '="' . strtr($value, ['\\' => '\\\\', '"' => '\"', "\n" => '\n']) . '"';
    }
    return '{' . implode(',', $pairs) . '}';
}

/** Seconds as a decimal number, without an exponent. */
function seconds(int $us): string
{
    return rtrim(rtrim(sprintf('%d.%06d', intdiv($us, 1_000_000), $us % 1_000_000), '0'), '.');
}

/**
 * Server pools of two files may have the same name; then their paths distinguish them.
 *
 * @return array<int, array<string, string>> the labels of each server pool
 */
function labels_of(array $pools): array
{
    $times = array_count_values(array_column($pools, 'pool'));
    return array_map(
        static fn ($pool) => ['pool' => $pool['pool']]
            + ($times[$pool['pool']] > 1 ? ['path' => $pool['path']] : []),
        $pools,
    );
}

function prometheus(array $pools): string
{
    $counters = [
        'calls' => 'Commands, or a batch\'s part, that ended, well or not.',
        'errors' => 'Calls that failed.',
        'redirects' => 'Replies after which a command was sent on.',
        'leases' => 'Connections handed out.',
        'waits' => 'Leases that waited for a free connection.', 'connects' => 'Connections begun.',
        'bytes_sent' => 'Bytes sent to the node.',
        'bytes_received' => 'Bytes received from the node.',
    ];
    $families = [];
    foreach ($counters as $name => $help) {
        $value = static fn ($node) => [['', [], $node[$name]]];
        $families["onehop_{$name}_total"] = ['counter', $help, $value];
    }
    $families['onehop_latency_seconds'] = [
        'histogram',
        'How long calls took that ended well.',
        latency(...),
    ];
    $families['onehop_connections'] = ['gauge', 'Connections there are.', static fn ($node) => [
        ['', ['state' => 'leased'], $node['connections']['leased']],
        ['', ['state' => 'idle'], $node['connections']['idle']],
    ]];
    $families['onehop_connections_max'] = [
        'gauge',
        'The most connections there may be.',
        static fn ($node) => [['', [], $node['connections']['max']]],
    ];
    $families['onehop_node_up'] = [
        'gauge',
        '1; 0 while the node rests or is ejected.',
        static fn ($node) => [['', [], (int) ($node['state'] === 'up')]],
    ];
    $families['onehop_node_info'] = [
        'gauge',
        '1, of each node that has a role: its role, and the master of a replica.',
        static fn ($node) => $node['role'] === null ? [] : [
            ['', ['role' => $node['role'], 'master' => (string) $node['master']], 1],
        ],
    ];
    $families['onehop_share'] = [
        'gauge',
        'How much of the key space the node has, 0 to 1.',
        static fn ($node) => [['', [], $node['share']]],
    ];
    $families['onehop_last_answer_timestamp_seconds'] = [
        'gauge',
        'When the node last answered a call, since 1970.',
        static fn ($node) =>
            $node['answered_at'] === null ? [] : [['', [], $node['answered_at']]],
    ];
    $text = "# HELP onehop_build_info 1, with the versions of what runs.\n"
        . "# TYPE onehop_build_info gauge\nonehop_build_info"
        . labels(['version' => phpversion('onehop'), 'php' => PHP_VERSION,
            'phpredis' => phpversion('redis')]) . " 1\n";
    $of_pools = labels_of($pools);
    foreach ($families as $family => [$type, $help, $samples]) {
        $text .= "# HELP $family $help\n# TYPE $family $type\n";
        foreach ($pools as $i => $pool) {
            foreach ($pool['nodes'] as $node) {
                foreach ($samples($node) as [$suffix, $more, $value]) {
                    $text .= $family . $suffix
                        . labels($of_pools[$i] + ['node' => $node['node']] + $more) . " $value\n";
                }
            }
        }
    }
    $text .= "# HELP onehop_config_info 1, with the fingerprint of what places keys.\n"
        . "# TYPE onehop_config_info gauge\n";
    foreach ($pools as $i => $pool) {
        $text .= 'onehop_config_info'
            . labels($of_pools[$i] + ['fingerprint' => $pool['fingerprint']]) . " 1\n";
    }
    foreach ([
        'generation' => [
            'How often the configuration was adopted.',
            static fn ($pool) => $pool['generation'],
        ],
        'config_last_reload_successful' => [
            '1; 0 while the file that is in place is refused.',
            static fn ($pool) => (int) $pool['config']['ok'],
        ],
        'config_last_reload_timestamp_seconds' => [
            'When the file was last read, since 1970.',
            static fn ($pool) => $pool['config']['read_at'],
        ],
    ] as $family => [$help, $value]) {
        $text .= "# HELP onehop_$family $help\n# TYPE onehop_$family gauge\n";
        foreach ($pools as $i => $pool) {
            $text .= "onehop_$family" . labels($of_pools[$i]) . " {$value($pool)}\n";
        }
    }
    return $text;
}

function latency(array $node): array
{
    $samples = [];
    foreach ($node['latency']['below'] as $us => $count) {
        $samples[] = ['_bucket', ['le' => seconds($us)], $count];
    }
    $samples[] = ['_bucket', ['le' => '+Inf'], $node['latency']['count']];
    $samples[] = ['_sum', [], seconds($node['latency']['sum'])];
    $samples[] = ['_count', [], $node['latency']['count']];
    return $samples;
}

/* ---- HTML ---- */

const STYLE = <<<'CSS'
:root {
    color-scheme: light dark;
    --page: #f6f7f9; --card: #fff; --ink: #1c2330; --soft: #5d6779; --line: #e4e7ec;
    --up: #12805c; --down: #c0362c; --bar: #2f63c7; --rest: #dfe4ec; --sick: #fdf1f0;
    --warn: #fff3c4; --warn-ink: #4a3800
}
@media (prefers-color-scheme: dark) {
    :root {
        --page: #11151c; --card: #1a202b; --ink: #e6e9ef; --soft: #98a2b3; --line: #2c3442;
        --up: #4cc38a; --down: #ff8a7a; --bar: #7aa5ff; --rest: #303a4a; --sick: #2b2025;
        --warn: #453a14; --warn-ink: #ffe9a8
    }
}
* { box-sizing: border-box }
body {
    margin: 0; padding: 1.5rem clamp(.8rem, 3vw, 2.5rem);
    background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, sans-serif
}
header, footer {
    display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; align-items: baseline; color: var(--soft)
}
h1 { margin: 0; font-size: 1.4rem; color: var(--ink) }
a { color: var(--bar) }
.verdict {
    margin: 1rem 0 0; padding: .7rem 1rem; border-left: 5px solid var(--up);
    background: var(--card); border-radius: 4px; font-size: 1.05rem; overflow-wrap: anywhere
}
.verdict.down { border-color: var(--down) }
.verdict.refused, .verdict.ejected {
    border-color: currentcolor; background: var(--warn); color: var(--warn-ink); font-weight: 400
}
section {
    margin: 1.25rem 0; padding: 1.1rem 1.25rem;
    background: var(--card); border: 1px solid var(--line); border-radius: 10px
}
h2 { margin: 0 .6rem 0 0; font-size: 1.15rem; display: inline; overflow-wrap: anywhere }
.facts { display: inline; color: var(--soft) }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere }
.ring { display: block; width: 100%; height: 14px; margin: .9rem 0; border-radius: 4px }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { padding: .4rem .5rem; text-align: right; border-top: 1px solid var(--line) }
td { white-space: nowrap }
thead th { border: 0; color: var(--soft); font-weight: 500; font-size: .85rem }
th:first-child, td.word, th.word { text-align: left }
tbody th { font-weight: 600; overflow-wrap: anywhere; min-width: 9rem }
tr.sick { background: var(--sick) }
tfoot td, tfoot th { color: var(--soft); font-weight: 500 }
small { color: var(--soft); font-weight: 400 }
th small, td.state small { display: block }
th small { margin-left: 1.4em }
.dot { display: inline-block; width: .7em; height: .7em; margin-right: .45em; border-radius: 3px }
.up { color: var(--up) } .down, .bad { color: var(--down); font-weight: 600 }
.quiet { color: var(--soft) } .ejected { color: var(--warn-ink); font-weight: 600 }
.note {
    margin: .9rem 0 0; padding: .6rem .9rem; border-radius: 6px;
    background: var(--warn); color: var(--warn-ink); overflow-wrap: anywhere
}
.reason td { border: 0; padding-top: 0; text-align: left; white-space: normal; color: var(--down) }
details { margin-top: .9rem } summary { cursor: pointer; color: var(--soft) }
.legend { margin: .9rem 0 0; color: var(--soft); font-size: .9rem }
svg.meter, svg.times { vertical-align: middle }
.meter .all { fill: var(--rest) } .meter .idle { fill: var(--bar); opacity: .45 }
.meter .leased, .times rect { fill: var(--bar) }
/* On a narrow screen each node is a card, and each of its numbers a line. */
@media (max-width: 60rem) {
    section { padding: 1rem .9rem }
    table, tbody, tfoot, tr, td, tbody th, tfoot th { display: block }
    thead { display: none }
    tr { padding: .5rem .4rem; border-top: 1px solid var(--line) }
    th, td { padding: .1rem 0; border: 0; text-align: left }
    td { position: relative; padding-left: 8.5rem; white-space: normal }
    td:empty { display: none }
    td::before { content: attr(data-name); position: absolute; left: 0; color: var(--soft) }
    .reason td { padding-left: 0 }
    td.state small { display: inline }
}
CSS;

function page(array $pools): string
{
    $body = implode('', array_map(section(...), by_health($pools)));
    if (!$pools) {
        $body = '<section><h2>No server pool is in use</h2><p>None of the processes that share '
            . 'this memory has made a client yet.</p></section>';
    }
    $refresh = (int) ($_GET['refresh'] ?? 0);
    $again = $refresh > 0 ? '<meta http-equiv="refresh" content="' . $refresh . '">' : '';
    $to = static fn (array $query): string => html('?' . http_build_query(
        $query + array_intersect_key($_GET, ['pool' => 0]),
    ));
    $link = $refresh > 0 ? "<a href=\"{$to([])}\">stop</a>"
        : "<a href=\"{$to(['refresh' => 5])}\">every 5 s</a>";
    $link .= isset($_GET['pool']) ? ' <a href="?">all server pools</a>' : '';
    $host = html(gethostname());
    $time = moment(time());
    $title = (array_filter($pools, is_sick(...)) ? 'down: ' : '') . "OneHop on $host";
    $versions = 'OneHop ' . html(phpversion('onehop')) . ', phpredis ' . html(phpversion('redis'))
        . ', PHP ' . PHP_VERSION;
    return '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        . '<meta name="viewport" content="width=device-width, initial-scale=1">' . $again
        . "<title>$title</title><style>" . STYLE . '</style></head><body>'
        . "<header><h1>OneHop</h1><span>$host</span><span>$time</span>"
        . "<span>refresh $link</span></header>" . alerts($pools)
        . "<main>$body</main><footer><span>$versions</span>"
        . "<span><a href=\"{$to(['format' => 'text'])}\">text</a> "
        . "<a href=\"{$to(['format' => 'json'])}\">JSON</a> "
        . "<a href=\"{$to(['format' => 'prometheus'])}\">Prometheus</a></span>"
        . '<span><a href="' . DOCS . '" rel="noreferrer">what the numbers mean</a></span>'
        . '</footer></body></html>' . "\n";
}

/** A line for each thing that is wrong, and one for all pools if no node is. */
function alerts(array $pools): string
{
    $lines = '';
    $show = static fn (array $pool, string $class, string $verdict): string =>
        "<p class=\"verdict $class\" role=\"alert\">"
            . html("Server pool {$pool['pool']}: $verdict.") . '</p>';
    foreach (by_health($pools) as $pool) {
        foreach (verdicts($pool) as $class => $verdict) {
            $lines .= $class === 'refused' || is_sick($pool) ? $show($pool, $class, $verdict) : '';
        }
    }
    if (!$pools || array_filter($pools, is_sick(...))) {
        return $lines;
    }
    $nodes = array_sum(array_map(static fn ($pool) => count($pool['nodes']), $pools));
    $of = count($pools) > 1 ? ' of ' . count($pools) . ' server pools' : '';
    $all = $nodes === 1 ? 'The node is up' : "All $nodes nodes$of are up";
    return "$lines<p class=\"verdict\">$all.</p>";
}

function section(array $pool): string
{
    $since = since($pool);
    $notes = '';
    if (is_alone($pool)) {
        $notes .= '<p class="note">No memory is shared, so these are the numbers of one process. '
            . 'The next one that answers may show others.</p>';
    }
    if (own_connections($pool)) {
        $notes .= '<p class="note">' . ucfirst(own_connections($pool)) . '.</p>';
    }
    $only = html('?' . http_build_query(['pool' => $pool['pool']]));
    return "<section><h2><a href=\"$only\">" . html($pool['pool'])
        . '</a></h2><p class="facts"><code>'
        . html($pool['path']) . "</code> · generation {$pool['generation']} · "
        . html("{$pool['distribution']}, {$pool['hash']}") . ' · fingerprint <code>'
        . html($pool['fingerprint']) . '</code>'
        . ($since ? ' · numbers since ' . moment($since) : '') . '</p>' . $notes . ring($pool)
        . nodes_table($pool) . '<p class="legend">' . LEGEND . '</p>' . traffic($pool)
        . '</section>';
}

const LEGEND = 'The bar shows the share of each node, in its colour. Quiet: up, but not asked for '
    . 'five minutes. Of calls: the share of the calls, beside that of the keys. A second: calls, '
    . 'on average since they are counted. Connections: leased + idle, of the most there may be. '
    . 'p50, p99: half and 99 % of the calls took less. Times: one bar for each doubling of the '
    . 'time, from 16 µs on the left to 17 s on the right.';

/** @param array<string, string> $columns the name of each column, and its class */
function heads(array $columns): string
{
    $heads = '';
    foreach ($columns as $name => $class) {
        $heads .= '<th scope="col"' . ($class ? " class=\"$class\"" : '') . ">$name</th>";
    }
    return "<thead><tr>$heads</tr></thead>";
}

/** Cells that know the name of their column, for narrow screens. */
function cells(array $columns, array $texts): string
{
    $cells = '';
    foreach (array_combine(array_keys($columns), $texts) as $name => $text) {
        $class = $columns[$name] ? " class=\"{$columns[$name]}\"" : '';
        $cells .= "<td$class data-name=\"$name\">$text</td>";
    }
    return $cells;
}

/** A colour that differs from its neighbours'. Green and red are kept for the state of nodes. */
function color(int $index): string
{
    return sprintf('hsl(%d 52%% %d%%)', 170 + $index * 89 % 140, 45 + 10 * ($index % 3));
}

/** The shares of the nodes in the key space. */
function ring(array $pool): string
{
    $parts = '';
    $at = 0.0;
    foreach ($pool['nodes'] as $index => $node) {
        $parts .= sprintf(
            '<rect x="%.2F" width="%.2F" height="10" fill="%s"><title>%s: %s</title></rect>',
            1000 * $at,
            1000 * $node['share'],
            color($index),
            html($node['node']),
            percent($node['share']),
        );
        $at += $node['share'];
    }
    return '<svg class="ring" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" '
        . 'aria-label="Shares of the key space">' . $parts . '</svg>';
}

function small(string $text): string
{
    return '<small>' . html($text) . '</small>';
}

/* ---- HTML: the two tables of a server pool ---- */

const NODES = [
    'State' => 'word state', 'Share' => '', 'Of calls' => '', 'Connections' => 'word',
    'Calls' => '', 'A second' => '', 'Errors in 5 min' => '', 'Errors' => '', 'p50' => '',
    'p99' => '', 'Times' => 'word',
];
const TRAFFIC = [
    'Since' => 'word', 'Redirects' => '', 'Waits' => '', 'Connects' => '', 'Sent' => '',
    'Received' => '',
];

function nodes_table(array $pool): string
{
    $rows = '';
    foreach (sorted($pool['nodes']) as $index => $node) {
        $rows .= node_row($node, $index, $pool);
    }
    $connections = array_column($pool['nodes'], 'connections');
    $leased = array_sum(array_column($connections, 'leased'));
    $idle = array_sum(array_column($connections, 'idle'));
    $totals = cells(NODES, [
        count(in_state($pool, 'up')) . ' up', '', '', "$leased leased, $idle idle",
        count_of(sum($pool, 'calls')), '', count_of(sum($pool, 'errors_recent')),
        count_of(sum($pool, 'errors')), '', '', '',
    ]);
    return '<table>' . heads(['Node' => ''] + NODES) . "<tbody>$rows</tbody><tfoot><tr>"
        . '<th scope="row">' . count($pool['nodes']) . " nodes</th>$totals</tr></tfoot></table>";
}

/** The name of a node with the colour of its part of the ring. */
function node_head(array $node, int $index): string
{
    $color = $node['share'] > 0 ? color($index) : 'none';
    return '<th scope="row"><span class="dot" style="background:' . $color . '"></span>'
        . html($node['node']);
}

function node_row(array $node, int $index, array $pool): string
{
    $class = ['resting' => 'down', 'ejected' => 'ejected'][$node['state']] ?? state($node);
    $recent = count_of($node['errors_recent']);
    $row = '<tr' . ($class === 'down' ? ' class="sick"' : '') . '>' . node_head($node, $index)
        . ($node['address'] === $node['node'] ? '' : small($node['address']))
        . ($node['role'] === null ? '' : small(role($node))) . '</th>'
        . cells(NODES, [
            "<span class=\"$class\">" . html(state($node)) . '</span> ' . small(answered($node)),
            percent($node['share']),
            share_of_calls($node, $pool),
            meter($node['connections']),
            count_of($node['calls']),
            rate($node),
            $node['errors_recent'] ? "<span class=\"bad\">$recent</span>" : $recent,
            count_of($node['errors']),
            duration($node['latency']['p50']),
            duration($node['latency']['p99']),
            times($node['latency']),
        ]) . '</tr>';
    if ($node['reason'] === null) {
        return $row;
    }
    return $row . '<tr class="reason' . ($class === 'down' ? ' sick' : '') . '"><td colspan="'
        . (count(NODES) + 1) . '">'
        . html($node['reason']) . '</td></tr>';
}

/** What one looks at less often; redirects only in a Redis Cluster. */
function traffic(array $pool): string
{
    $columns = is_cluster($pool) ? TRAFFIC : array_diff_key(TRAFFIC, ['Redirects' => '']);
    $rows = '';
    foreach (sorted($pool['nodes']) as $index => $node) {
        $all = [
            'Since' => $node['since'] === null ? 'not used yet' : moment($node['since']),
            'Redirects' => count_of($node['redirects']), 'Waits' => count_of($node['waits']),
            'Connects' => count_of($node['connects']), 'Sent' => bytes($node['bytes_sent']),
            'Received' => bytes($node['bytes_received']),
        ];
        $rows .= '<tr>' . node_head($node, $index) . '</th>'
            . cells($columns, array_intersect_key($all, $columns)) . '</tr>';
    }
    $totals = [
        'Since' => '', 'Redirects' => count_of(sum($pool, 'redirects')),
        'Waits' => count_of(sum($pool, 'waits')), 'Connects' => count_of(sum($pool, 'connects')),
        'Sent' => bytes(sum($pool, 'bytes_sent')),
        'Received' => bytes(sum($pool, 'bytes_received')),
    ];
    return '<details><summary>Waits, connects and bytes</summary><table>'
        . heads(['Node' => ''] + $columns) . "<tbody>$rows</tbody><tfoot><tr>"
        . '<th scope="row">' . count($pool['nodes']) . ' nodes</th>'
        . cells($columns, array_intersect_key($totals, $columns))
        . '</tr></tfoot></table></details>';
}

/** Leased and idle connections, and their maximum. */
function meter(array $connections): string
{
    ['leased' => $leased, 'idle' => $idle, 'max' => $max] = $connections;
    $unit = 60 / max($max, $leased + $idle, 1);
    return sprintf(
        '<svg class="meter" width="60" height="10" role="img" '
            . 'aria-label="%1$d leased, %2$d idle, at most %3$d">'
            . '<rect class="all" width="60" height="10" rx="2"/>'
            . '<rect class="leased" width="%4$.2F" height="10" rx="2"/>'
            . '<rect class="idle" x="%4$.2F" width="%5$.2F" height="10" rx="2"/></svg>'
            . ' %1$d + %2$d <small>of %3$d</small>',
        $leased,
        $idle,
        $max,
        $leased * $unit,
        $idle * $unit,
    );
}

/**
 * The distribution of the times of the calls. Each bar stands for twice the time of the one before;
 * the highest bar is the most frequent time.
 */
function times(array $latency): string
{
    $bars = [];
    $before = 0;
    foreach ($latency['below'] as $us => $count) {
        $bars[] = [$us, max(0, $count - $before)];
        $before = $count;
    }
    $most = max(1, ...array_column($bars, 1));
    $svg = '';
    foreach ($bars as $i => [$us, $count]) {
        $height = $count ? max(1.5, 18 * $count / $most) : 0;
        $svg .= $count ? sprintf(
            '<rect x="%d" y="%.1F" width="3" height="%.1F"><title>%s below %s</title></rect>',
            4 * $i,
            18 - $height,
            $height,
            count_of($count),
            duration($us),
        ) : '';
    }
    return '<svg class="times" width="' . 4 * count($bars)
        . '" height="18" role="img" aria-label="Times of the calls, from 16 µs to 17 s">' . $svg
        . '</svg>';
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
