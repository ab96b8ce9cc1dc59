<?php
/**
 * The text of onehop-status.php for a terminal: text().
 */

declare(strict_types=1);

namespace OneHop\Status;

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

/** Shown in a column of its own. */
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
        'connects' => count_of($node['connects']), 'selects' => count_of($node['selects']),
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

/** Counts UTF-8 characters without mbstring. */
function width(string $text): int
{
    return strlen(preg_replace('/[\x80-\xbf]/', '', $text));
}
