<?php

/*
 * The recipe of docs/modules.md: an index on each of three nodes, and one answer from all of them.
 *
 *     php -d extension=onehop.so search.php CONFIG
 *
 * Prints what is wrong.
 */

function create_index(OneHop\Redis $redis): void
{
    $redis->onEachNode('rawCommand', ...explode(' ', 'FT.CREATE products PREFIX 1 product:'
        . ' SCHEMA name TEXT price NUMERIC SORTABLE'));
}

/** The cheapest products of all nodes: key => price. */
function cheapest(OneHop\Redis $redis, string $words, int $count): array
{
    $replies = $redis->onEachNode('rawCommand', 'FT.SEARCH', 'products', $words, 'SORTBY', 'price',
        'LIMIT', '0', (string) $count, 'RETURN', '1', 'price');
    $prices = [];
    foreach ($replies as $reply) { // [how many, key, ['price', price], key, ['price', price] ...]
        foreach (array_chunk(array_slice($reply, 1), 2) as [$key, $fields]) {
            $prices[$key] = (float) $fields[1];
        }
    }
    asort($prices);
    return array_slice($prices, 0, $count, true);
}

$redis = new OneHop\Redis('alpha', $argv[1]);
create_index($redis);
$expected = [];
for ($i = 0; $i < 100; $i++) {
    $redis->hMSet("product:$i", ['name' => $i % 2 ? 'red shoe' : 'blue shoe', 'price' => 100 - $i]);
    if ($i % 2) {
        $expected["product:$i"] = 100.0 - $i;
    }
}
asort($expected);
$found = cheapest($redis, 'red', 20);
if ($found !== array_slice($expected, 0, 20, true)) {
    echo 'found ', json_encode($found), "\n";
}
try {
    $redis->rawCommand('FT.SEARCH', 'products', 'red');
    echo "FT.SEARCH is not refused\n";
} catch (OneHop\Unsupported) {
}
