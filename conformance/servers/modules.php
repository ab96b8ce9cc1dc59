<?php

/*
 * Sends commands of modules to three nodes, and by plain phpredis to one server. The replies must
 * be equal.
 *
 *     php -d extension=onehop.so modules.php CONFIG PORT HOW
 *
 * The commands are the lines of the standard input, see modules.py. HOW is alone, pipeline or
 * multi. Prints a line for each difference.
 */

[, $config, $port, $how] = $argv;
$fleet = new OneHop\Redis('alpha', $config);
$plain = new Redis();
$plain->connect('127.0.0.1', (int) $port);

function shown(mixed $reply, bool $isUnordered): string
{
    if ($isUnordered && is_array($reply)) {
        usort($reply, fn ($a, $b) => json_encode($a) <=> json_encode($b));
    }
    return json_encode($reply, JSON_PARTIAL_OUTPUT_ON_ERROR);
}

function reply(Redis $redis, array $words): mixed
{
    $redis->clearLastError();
    try {
        $reply = $redis->rawCommand(...$words);
        return $reply === false ? "false, {$redis->getLastError()}" : $reply;
    } catch (RedisException $failure) {
        return $failure::class . ": {$failure->getMessage()}";
    }
}

function replies(Redis $redis, array $calls, string $how): array
{
    if ($how === 'alone') {
        return array_map(fn ($call) => reply($redis, $call['words']), $calls);
    }
    $batch = $how === 'multi' ? $redis->multi() : $redis->pipeline();
    foreach ($calls as $call) {
        $batch->rawCommand(...$call['words']);
    }
    return $batch->exec();
}

$calls = [];
while (($line = fgets(STDIN)) !== false) {
    $words = explode(' ', trim($line));
    if ($words[0] === 'REFUSED') {
        $reply = reply($fleet, array_slice($words, 1));
        if (!is_string($reply) || !preg_match('/^OneHop\\\\(CrossNode|Unsupported): /', $reply)) {
            echo trim($line), ': ', json_encode($reply), "\n";
        }
        continue;
    }
    $isUnordered = $words[0][0] === '~';
    $words[0] = ltrim($words[0], '~');
    $calls[] = ['words' => $words, 'isUnordered' => $isUnordered];
}
[$expected, $found] = [replies($plain, $calls, $how), replies($fleet, $calls, $how)];
foreach ($calls as $i => $call) {
    $one = shown($expected[$i], $call['isUnordered']);
    $many = shown($found[$i], $call['isUnordered']);
    if ($one !== $many) {
        echo implode(' ', $call['words']), ": one server $one, the fleet $many\n";
    }
}
