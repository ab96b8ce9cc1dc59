<?php
/**
 * The page of onehop-status.php for a browser: page().
 */

declare(strict_types=1);

namespace OneHop\Status;

function html(string|int $text): string
{
    return htmlspecialchars((string) $text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
}

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

/** A line for each thing that is wrong. If no node is sick, also a line about all nodes. */
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
    . 'five minutes. Of calls: its share of the calls; Share is that of the keys. A second: calls '
    . 'per second, on average since counting began. Connections: leased + idle, of the maximum. '
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

/** Cells with the name of their column, for narrow screens. */
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

/* ---- The two tables of a server pool ---- */

const NODES = [
    'State' => 'word state', 'Share' => '', 'Of calls' => '', 'Connections' => 'word',
    'Calls' => '', 'A second' => '', 'Errors in 5 min' => '', 'Errors' => '', 'p50' => '',
    'p99' => '', 'Times' => 'word',
];
const TRAFFIC = [
    'Since' => 'word', 'Redirects' => '', 'Waits' => '', 'Connects' => '', 'Selects' => '',
    'Sent' => '', 'Received' => '',
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
    $class = match ($node['state']) {
        'resting' => 'down',
        'ejected', 'returned' => 'ejected',
        default => state($node),
    };
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

/** Numbers that are needed less often; redirects only in a Redis Cluster. */
function traffic(array $pool): string
{
    $columns = is_cluster($pool) ? TRAFFIC : array_diff_key(TRAFFIC, ['Redirects' => '']);
    $rows = '';
    foreach (sorted($pool['nodes']) as $index => $node) {
        $all = [
            'Since' => $node['since'] === null ? 'not used yet' : moment($node['since']),
            'Redirects' => count_of($node['redirects']), 'Waits' => count_of($node['waits']),
            'Connects' => count_of($node['connects']), 'Selects' => count_of($node['selects']),
            'Sent' => bytes($node['bytes_sent']), 'Received' => bytes($node['bytes_received']),
        ];
        $rows .= '<tr>' . node_head($node, $index) . '</th>'
            . cells($columns, array_intersect_key($all, $columns)) . '</tr>';
    }
    $totals = [
        'Since' => '', 'Redirects' => count_of(sum($pool, 'redirects')),
        'Waits' => count_of(sum($pool, 'waits')), 'Connects' => count_of(sum($pool, 'connects')),
        'Selects' => count_of(sum($pool, 'selects')), 'Sent' => bytes(sum($pool, 'bytes_sent')),
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
