<?php

/*
 * The testee of PHP: one JSON request per line on stdin, one answer per line on stdout
 * (protocol.md). The extension's C core answers all requests, except `write` and `read`, which use
 * the real client. For parts of the core PHP has no methods: a program over the core alone
 * answers requests about these parts.
 */

const OPS_OF_THE_CORE = ['wire', 'subscribed', 'health'];

ini_set('memory_limit', '-1');

/** The topology of a request. Equal consecutive requests share it. */
function topology_of(array $request): OneHop\Topology
{
    static $known, $topology;

    $wanted = [$request['config'], $request['pool'], $request['dead'] ?? []];
    if ($wanted !== $known) {
        $topology = OneHop\Topology::fromText(
            $request['pool'],
            $request['config'],
            $request['dead'] ?? [],
        );
        $known = $wanted;
    }
    return $topology;
}

function hash_op(array $request): array
{
    return ['hashes' => array_map(
        fn ($key) => OneHop\Topology::hash($request['hash'], hex2bin($key)),
        $request['keys'],
    )];
}

function place_op(array $request): array
{
    $topology = topology_of($request);
    return [
        'nodes' => array_map(fn ($key) => $topology->locate(hex2bin($key))->name, $request['keys']),
    ];
}

function config_op(array $request): array
{
    $variables = $request['environment'] ?? [];
    foreach ($variables as $name => $value) {
        putenv("$name=$value");
    }
    $told = OneHop\Topology::check(
        isset($request['hex']) ? hex2bin($request['hex']) : $request['text'],
    );
    foreach ($variables as $name => $value) {
        putenv($name);
    }
    return $told === null ? ['ok' => true] : [
        'error' => $told['errors'][0], 'errors' => $told['errors'], 'more' => $told['more'],
    ];
}

function topology_op(array $request): array
{
    $topology = topology_of($request);
    return ['fingerprint' => $topology->fingerprint(), 'servers' => array_map(fn ($node) => [
        'name' => $node->name,
        'address' => $node->path ?? "$node->host:$node->port",
        'weight' => $node->weight,
    ], array_filter($topology->nodes(), fn ($node) => $node->role !== 'replica'))];
}

function explain_op(array $request): array
{
    $topology = topology_of($request);
    return ['explanations' => array_map(function ($key) use ($topology) {
        $told = $topology->explain(hex2bin($key));
        return [
            'hashed' => bin2hex($told['hashed']), 'hash' => $told['hash'],
            'point' => $told['point'], 'node' => $told['node']->name,
        ];
    }, $request['keys'])];
}

function slot_op(array $request): array
{
    return [
        'slots' => array_map(fn ($key) => OneHop\Topology::slot(hex2bin($key)), $request['keys']),
    ];
}

function map_op(array $request): array
{
    $topology = new OneHop\Topology($request['pool'], $request['config']);
    return [
        'fingerprint' => $topology->fingerprint(),
        'nodes' => array_map(fn ($key) => $topology->locate(hex2bin($key))->name, $request['keys']),
    ];
}

function write_op(array $request): array
{
    $redis = new OneHop\Redis($request['pool'], $request['config']);
    $written = 0;
    foreach (array_chunk($request['pairs'], 1000) as $pairs) {
        $redis->pipeline();
        foreach ($pairs as [$key, $value]) {
            $redis->set(hex2bin($key), hex2bin($value));
        }
        $written += count(array_filter($redis->exec(), fn ($reply) => $reply === true));
    }
    return ['written' => $written];
}

function read_op(array $request): array
{
    $redis = new OneHop\Redis($request['pool'], $request['config']);
    $values = [];
    foreach (array_chunk($request['keys'], 1000) as $keys) {
        $redis->pipeline();
        foreach ($keys as $key) {
            $redis->get(hex2bin($key));
        }
        foreach ($redis->exec() as $value) {
            $values[] = $value === false ? null : bin2hex($value);
        }
    }
    return ['values' => $values];
}

function raw_op(array $request): array
{
    $redis = new OneHop\Redis($request['pool'], $request['config']);
    $replies = [];
    foreach ($request['commands'] as $words) {
        try {
            $replies[] = told($redis->rawCommand(...array_map('hex2bin', $words)));
        } catch (OneHop\Exception $e) {
            $replies[] = ['refused' => $e->getKind() . ': ' . $e->getMessage()];
        }
    }
    return ['replies' => $replies];
}

/** A reply of phpredis in the words of the protocol: true is OK, false is nil. */
function told(mixed $reply): mixed
{
    return match (true) {
        is_array($reply) => array_map('told', $reply),
        is_string($reply) => bin2hex($reply),
        $reply === true => bin2hex('OK'),
        $reply === false => null,
        default => $reply,
    };
}

/** Passes a request on to the program over the core, and returns its answer. Both are lines. */
function told_by_the_core(string $line): string
{
    static $process, $pipes;

    $process ??= proc_open(
        ['make', '-s', '-C', 'php-ext/tests-core', 'testee'],
        [['pipe', 'r'], ['pipe', 'w'], STDERR],
        $pipes,
    );
    fwrite($pipes[0], $line);
    return fgets($pipes[1]) ?: throw new RuntimeException('The testee of the core has ended.');
}

/** The answer to any request. */
function answer(mixed $request): array
{
    $op = is_array($request) ? $request['op'] ?? null : null;
    if (!is_string($op) || !function_exists("{$op}_op")) {
        return ['error' => 'unsupported op'];
    }
    try {
        return "{$op}_op"($request);
    } catch (OneHop\Exception $e) {
        return ['error' => $e->getKind() . ': ' . $e->getMessage()];
    } catch (Throwable $e) {
        return ['error' => get_class($e) . ': ' . $e->getMessage()];
    }
}

set_error_handler(fn ($level, $message) => throw new ErrorException($message));
while (($line = fgets(STDIN)) !== false) {
    $request = json_decode($line, true);
    if (in_array($request['op'] ?? null, OPS_OF_THE_CORE, true)) {
        fwrite(STDOUT, told_by_the_core($line));
        continue;
    }
    $told = ['id' => $request['id'] ?? null] + answer($request);
    fwrite(
        STDOUT,
        json_encode($told, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES) . "\n",
    );
}
