<?php
/*
 * Reads keys of each node in turn for some seconds, as a page, or as
 * `php stalls.php CLIENT CONFIG PORTS SECONDS IDLE`. CLIENT is `onehop`, or `plain` for phpredis,
 * which has a connection to each of the PORTS and opens it again after a failure. IDLE is how many
 * connections to each node are opened first. Answers JSON: for each failed call its node, its end
 * by hrtime(), how long it took in ms, and whether the node rested; and for each node the answered
 * calls in each tenth of a second.
 */
declare(strict_types=1);

const TIMEOUT_S = 0.3;

[$client, $config, $ports, $seconds, $idle] = isset($argv)
    ? array_slice($argv, 1)
    : [$_GET['client'], $_GET['config'], $_GET['ports'], $_GET['seconds'], $_GET['idle']];
$ports = array_map(intval(...), explode(',', $ports));

/** A function for each node, which makes one call. */
$calls = [];
if ($client === 'onehop') {
    $redis = new OneHop\Redis('alpha', $config);
    $topology = new OneHop\Topology('alpha', $config);
    for ($i = 0; count($calls) < count($ports); $i++) {
        $node = array_search($topology->locate("key:$i")->port, $ports, true);
        $calls[$node] ??= static fn () => $redis->get("key:$i");
        $keys[$node] ??= "key:$i";
    }
    for ($i = 0; $i < (int) $idle; $i++) {
        foreach ($keys as $node => $key) { /* watch() keeps a connection leased. */
            ($held[] = new OneHop\Redis('alpha', $config))->watch($key);
        }
    }
    array_map(static fn ($one) => $one->unwatch(), $held ?? []);
} else {
    foreach ($ports as $node => $port) {
        $plain = null;
        $calls[$node] = static function () use (&$plain, $port): void {
            try {
                if (!$plain) {
                    $plain = new Redis();
                    $plain->pconnect('127.0.0.1', $port, TIMEOUT_S, "stalls-$port");
                    $plain->setOption(Redis::OPT_READ_TIMEOUT, TIMEOUT_S);
                }
                $plain->get('key');
            } catch (RedisException $failure) {
                $plain?->close();
                $plain = null;
                throw $failure;
            }
        };
        unset($plain);
    }
}
ksort($calls);
$failed = [];
$answered = array_fill(0, count($calls), []);
for ($end = hrtime(true) + (float) $seconds * 1e9; ($began = hrtime(true)) < $end;) {
    foreach ($calls as $node => $call) {
        $began = hrtime(true);
        try {
            $call();
            $tenth = intdiv(hrtime(true), 100_000_000);
            $answered[$node][$tenth] = ($answered[$node][$tenth] ?? 0) + 1;
        } catch (RedisException $failure) {
            $now = hrtime(true);
            $rests = str_starts_with($failure->getMessage(), 'The node is resting');
            $failed[] = [$node, $now, ($now - $began) / 1e6, $rests];
        }
        usleep(1000);
    }
}
echo json_encode(['failed' => $failed, 'answered' => $answered]);
