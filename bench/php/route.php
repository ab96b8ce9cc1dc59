<?php
/*
 * What routing a queued command costs in PHP: 1000 × hGet() into the pipeline of plain phpredis and
 * into OneHop's over four nodes, taking turns. Nothing is sent: a full pipeline is discarded, so no
 * server is needed.
 *
 *     php -d extension=php-ext/modules/onehop.so bench/php/route.php [ROUNDS]
 *
 * The difference is the key, its placement, the client of its node, and the bookkeeping that puts
 * the replies in order. On a noisy machine the fastest rounds show the cost of the code; the median
 * also shows the other load.
 */
declare(strict_types=1);

const COMMANDS = 1000;

$rounds = max((int) ($argv[1] ?? 2000), 10);
$keys = array_map(static fn (int $number) => "user:$number", range(0, COMMANDS - 1));
shuffle($keys);

/* phpredis needs a connection before it queues; any listener will do. */
$listener = stream_socket_server('tcp://127.0.0.1:0');
$plain = new Redis();
$plain->connect(
    '127.0.0.1',
    (int) substr(strrchr(stream_socket_get_name($listener, false), ':'), 1),
);

$config = tempnam(sys_get_temp_dir(), 'onehop-route-');
register_shutdown_function(static fn () => unlink($config));
file_put_contents(
    $config,
    "alpha:\n  listen: 127.0.0.1:22121\n  redis: true\n  hash: murmur\n  servers:\n"
        . implode('', array_map(static fn (int $port) => "  - 127.0.0.1:$port:1\n", range(1, 4))),
);
$onehop = new OneHop\Redis('alpha', $config);

/** Nanoseconds per command of one pipeline. */
function queue(Redis $redis, array $keys): float
{
    $pipeline = $redis->pipeline();
    $start = hrtime(true);
    foreach ($keys as $key) {
        $pipeline->hGet($key, 'name');
    }
    $taken = hrtime(true) - $start;
    $redis->discard();
    return $taken / COMMANDS;
}

$times = ['plain phpredis' => [], 'OneHop, 4 nodes' => []];
for ($round = 0; $round < $rounds; $round++) {
    $times['plain phpredis'][] = queue($plain, $keys);
    $times['OneHop, 4 nodes'][] = queue($onehop, $keys);
}
$differences = array_map(
    static fn (float $ours, float $theirs) => $ours - $theirs,
    $times['OneHop, 4 nodes'],
    $times['plain phpredis'],
);
printf("%-24s %10s %10s\n", '1 of 1000 × hGet()', 'fastest', 'median');
foreach ($times as $name => $values) {
    sort($values);
    printf(
        "%-24s %7.0f ns %7.0f ns\n",
        $name,
        $values[intdiv(count($values), 100)],
        $values[intdiv(count($values), 2)],
    );
    $fastest[] = $values[intdiv(count($values), 100)];
}
sort($differences);
printf(
    "%-24s %7.0f ns %7.0f ns   must be at most 60 ns\n",
    'routing',
    $fastest[1] - $fastest[0],
    $differences[intdiv(count($differences), 2)],
);
