<?php
/*
 * One page of bench/fleet's job `host`: asks every node once. Answers JSON: how many answered, and
 * how many KiB of its own this worker had before the client and has at the end.
 */
declare(strict_types=1);

function own_kib(): int
{
    preg_match('/^RssAnon:\s+(\d+)/m', file_get_contents('/proc/self/status'), $found);
    return (int) $found[1];
}

$before = own_kib();
$redis = new OneHop\Redis('alpha');
$redis->get('key');
$one = own_kib();
$answered = count(array_filter($redis->onEachNode('ping')));
$grown = [$one - $before, own_kib() - $before];
echo json_encode(['pid' => getmypid(), 'answered' => $answered, 'grown' => $grown]);
