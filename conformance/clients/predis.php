<?php

/** Prints where Predis' HashRing places keys, asked as Predis itself asks it. */

require 'Predis/autoload.php';

$lines = explode("\n", rtrim(stream_get_contents(STDIN), "\n"));
$keys = array_map('hex2bin', array_splice($lines, 1, (int) $lines[0]));
foreach (array_slice($lines, 1) as $line) {
    $strategy = new Predis\Cluster\PredisStrategy();
    $ring = $strategy->getDistributor();
    $nodes = [];
    foreach (array_slice(explode("\t", $line), 2) as $server) {
        [$address, , $weight] = explode(' ', $server);
        $parameters = $address[0] === '/'
            ? ['scheme' => 'unix', 'path' => $address]
            : ['host' => $address, 'port' => 6379];
        $parameters = new Predis\Connection\Parameters($parameters);
        $node = new Predis\Connection\StreamConnection($parameters);
        $nodes[(string) $node] = count($nodes);
        $ring->add($node, (int) $weight);
    }
    foreach ($keys as $key) {
        $hash = $ring->hash(tag($key));
        echo $nodes[(string) $ring->getByHash($hash)], ' ';
    }
    echo "\n";
}

/** ClusterStrategy::extractKeyTag, which is not public. */
function tag(string $key): string
{
    static $strategy, $extract;
    $strategy ??= new Predis\Cluster\PredisStrategy();
    $extract ??= new ReflectionMethod($strategy, 'extractKeyTag');
    $extract->setAccessible(true);
    return $extract->invoke($strategy, $key);
}
