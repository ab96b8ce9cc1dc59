<?php
/**
 * The metrics of onehop-status.php for Prometheus: prometheus(). spec/meter has their names.
 */

declare(strict_types=1);

namespace OneHop\Status;

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
    $text = "# HELP onehop_build_info 1, with the versions of what runs.\n"
        . "# TYPE onehop_build_info gauge\nonehop_build_info"
        . labels(['version' => phpversion('onehop'), 'php' => PHP_VERSION,
            'phpredis' => phpversion('redis')]) . " 1\n";
    $labels = labels_of($pools);
    return $text . of_nodes($pools, $labels) . of_pools($pools, $labels);
}

function of_nodes(array $pools, array $of_pools): string
{
    $text = '';
    foreach (counters() + gauges() as $family => [$type, $help, $samples]) {
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
    return $text;
}

/** The families of a node's samples: type, help, and [suffix, labels, value] of each sample. */
function counters(): array
{
    $counters = [
        'calls' => 'Commands, or parts of a batch, that have ended, failed ones included.',
        'errors' => 'Calls that failed.',
        'redirects' => 'Replies after which a command was sent on.',
        'leases' => 'Connections handed out.',
        'waits' => 'Calls that found no connection free.', 'connects' => 'Connections begun.',
        'selects' => 'SELECTs sent because a connection was in another database.',
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
        'How long successful calls took.',
        latency(...),
    ];
    return $families;
}

function gauges(): array
{
    return [
        'onehop_connections' => ['gauge', 'Open connections.', static fn ($node) => [
            ['', ['state' => 'leased'], $node['connections']['leased']],
            ['', ['state' => 'idle'], $node['connections']['idle']],
        ]],
        'onehop_connections_max' => [
            'gauge',
            'How many connections there can be.',
            static fn ($node) => [['', [], $node['connections']['max']]],
        ],
        'onehop_node_up' => [
            'gauge',
            '1 for a node in use; 0 while it rests or is ejected, and until it answers.',
            static fn ($node) => [['', [], (int) ($node['state'] === 'up')]],
        ],
        'onehop_node_info' => [
            'gauge',
            '1 for each node that has a role: its role, and the master of a replica.',
            static fn ($node) => $node['role'] === null ? [] : [
                ['', ['role' => $node['role'], 'master' => (string) $node['master']], 1],
            ],
        ],
        'onehop_share' => [
            'gauge',
            'How much of the key space the node has, 0 to 1.',
            static fn ($node) => [['', [], $node['share']]],
        ],
        'onehop_last_answer_timestamp_seconds' => [
            'gauge',
            'When the node last answered a call, since 1970.',
            static fn ($node) =>
                $node['answered_at'] === null ? [] : [['', [], $node['answered_at']]],
        ],
    ];
}

function of_pools(array $pools, array $of_pools): string
{
    $text = "# HELP onehop_config_info 1, with the fingerprint of the placement of keys.\n"
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
            '1; 0 while the present file is refused.',
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
