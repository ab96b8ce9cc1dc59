<?php

/**
 * Prints where RedisArray places keys. Reads how many keys there are, the keys in hexadecimal, and
 * one line for each ring: its option `algorithm` ("-" for none), "consistent" or another word, and
 * its servers, with a tab between two words.
 */

$lines = explode("\n", rtrim(stream_get_contents(STDIN), "\n"));
$keys = array_map('hex2bin', array_splice($lines, 1, (int) $lines[0]));
foreach (array_slice($lines, 1) as $line) {
    [$hash, $option] = $words = explode("\t", $line);
    $hosts = [];
    foreach (array_slice($words, 2) as $server) {
        [$address, $name] = explode(' ', $server);
        $hosts[$name === '-' ? $address : $name] = count($hosts);
    }
    $options = ['lazy_connect' => true, 'consistent' => $option === 'consistent'];
    if ($hash !== '-') {
        $options['algorithm'] = $hash;
    }
    $array = new RedisArray(array_map('strval', array_keys($hosts)), $options);
    $unplaced = unplaced($hash);
    foreach ($keys as $key) {
        // If the hash is 0, phpredis reads beyond its list of hosts.
        echo $option !== 'consistent' && $unplaced($key) ? -1 : $hosts[$array->_target($key)], ' ';
    }
    echo "\n";
}

/** True of keys whose hash is 0. */
function unplaced(string $algorithm): callable
{
    return function (string $key) use ($algorithm): bool {
        $text = strstr($key . "\0", "\0", true);
        $part = preg_match('/\{(.*?)\}/s', $text, $found) ? $found[1] : $key;
        return $algorithm === '-'
            ? hash('crc32b', $part) === 'ffffffff'
            : in_array(substr(hash($algorithm, $part), 0, 16), ['00000000', 'ffffffff'], true);
    };
}
