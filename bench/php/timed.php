<?php
/*
 * One page of bench/load.py: makes a client and reads 20 keys. Answers JSON, in nanoseconds: the
 * time to make the client and for the first GET together, then the time of each further GET. Stock
 * phpredis gets the node of each key outside the measured time, and its connections outlive
 * requests, too.
 */
declare(strict_types=1);

const KEYS = 1000;
const GETS = 20;

mt_srand((int) $_GET['seed']);
$keys = array_map(static fn () => 'key:' . mt_rand(0, KEYS - 1), range(1, GETS));

$topology = new OneHop\Topology('alpha');
$ports = array_map(static fn (string $key) => $topology->locate($key)->port, $keys);

/** A GET, timed from `start`; a wrong value ends the page. */
function get(Redis $redis, string $key, int $start): int
{
    $value = $redis->get($key);
    $taken = hrtime(true) - $start;
    if ($value !== "value of $key") {
        exit("wrong value for $key: " . var_export($value, true));
    }
    return $taken;
}

$times = [];
if ($_GET['client'] === 'onehop') {
    $start = hrtime(true);
    $redis = new OneHop\Redis('alpha');
    foreach ($keys as $i => $key) {
        $times[] = get($redis, $key, $i ? hrtime(true) : $start);
    }
} else {
    $nodes = [];
    foreach ($keys as $i => $key) {
        $start = hrtime(true);
        if (!isset($nodes[$ports[$i]])) {
            $nodes[$ports[$i]] = new Redis();
            $nodes[$ports[$i]]->pconnect('127.0.0.1', $ports[$i]);
            if ($i > 0) {
                $start = hrtime(true);
            }
        }
        $times[] = get($nodes[$ports[$i]], $key, $start);
    }
}
echo json_encode($times);
