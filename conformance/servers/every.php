<?php

/*
 * Sends each command of the standard input, one a line: by itself, and in a pipeline. Every.java
 * is the same in Java.
 *
 *     php -d extension=onehop.so every.php CONFIG
 *
 * Prints two words for each: "served" if a node has answered, even with an error, or "refused" and
 * the message, or "failed" and the message.
 */

function told(callable $call): string
{
    try {
        $call();
        return 'served';
    } catch (OneHop\Unsupported | OneHop\CrossNode $refusal) {
        return "refused: {$refusal->getMessage()}";
    } catch (OneHop\Exception $failure) {
        return "failed: {$failure->getMessage()}";
    } catch (RedisException) {
        return 'served'; // An error of the node that phpredis throws.
    }
}

$redis = new OneHop\Redis('alpha', $argv[1]);
while (($line = fgets(STDIN)) !== false) {
    $words = array_map(fn ($word) => $word === '""' ? '' : $word, explode(' ', trim($line)));
    $alone = told(fn () => $redis->rawCommand(...$words));
    $batch = $redis->pipeline();
    $queued = told(fn () => $batch->rawCommand(...$words));
    $executed = told(fn () => $batch->exec());
    echo $alone, "\t", $queued === 'served' ? $executed : $queued, "\n";
}
