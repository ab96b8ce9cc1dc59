<?php

/* The functions that docs/recipes.md quotes. RecipesTest.php runs them against real servers. */

/** Adds a product to a cart and its price to the sum: both or neither. */
function add_to_cart(Redis $redis, string $cart, string $product, int $price): void
{
    $redis->multi()
        ->hIncrBy("{cart:$cart}:products", $product, 1)
        ->incrBy("{cart:$cart}:sum", $price)
        ->exec();
}

/** The texts of products, by name. null: there is none, or its node is down. */
function product_texts(Redis $redis, array $names): array
{
    try {
        $texts = $redis->mGet($names);
    } catch (OneHop\PartialBatch $failure) {
        error_log($failure->getMessage());
        $texts = $failure->getReplies(); // In the order of $names, with exceptions among them.
    }
    $known = array_map(fn ($text) => is_string($text) ? $text : null, $texts);
    return array_combine($names, $known);
}

/** The users of these ids, in the same order: one round trip to all nodes in parallel. */
function users(Redis $redis, array $ids): array
{
    $batch = $redis->pipeline();
    foreach ($ids as $id) {
        $batch->hGetAll("user:$id");
    }
    return $batch->exec();
}

/** Counts a visit. Returns whether it was counted, or null if that is not known. */
function count_visit(Redis $redis, string $page): ?bool
{
    try {
        $redis->incr("visits:$page");
        return true;
    } catch (OneHop\Exception $failure) {
        return $failure->mayHaveExecuted() ? null : false; // false: it is safe to count again.
    }
}

/** Takes a lock for at most some seconds. Returns what unlock() needs, or null if it is taken. */
function lock(Redis $redis, string $name, int $seconds): ?string
{
    $token = bin2hex(random_bytes(16));
    $isMine = $redis->set("lock:$name", $token, ['NX', 'EX' => $seconds]);
    return $isMine ? $token : null;
}

/** Gives a lock back, unless its time is over and another process has it. */
function unlock(Redis $redis, string $name, string $token): bool
{
    $script = 'return redis.call("GET", KEYS[1]) == ARGV[1] and redis.call("DEL", KEYS[1]) or 0';
    return $redis->eval($script, ["lock:$name", $token], 1) === 1;
}

/** Counts a request of a user. Returns whether it is within both limits. */
function is_allowed(Redis $redis, string $user, int $perMinute, int $perDay): bool
{
    $script = <<<'LUA'
        local minute, day = redis.call('INCR', KEYS[1]), redis.call('INCR', KEYS[2])
        if minute == 1 then redis.call('EXPIRE', KEYS[1], 60) end
        if day == 1 then redis.call('EXPIRE', KEYS[2], 86400) end
        return {minute, day}
        LUA;
    $keys = ["{requests:$user}:minute", "{requests:$user}:day"];
    [$minute, $day] = $redis->eval($script, $keys, 2);
    return $minute <= $perMinute && $day <= $perDay;
}

/** All keys of the pattern, from all nodes, in small portions. */
function each_key(Redis $redis, string $pattern): iterable
{
    for ($cursor = null; ($keys = $redis->scan($cursor, $pattern, 1000)) !== false;) {
        yield from $keys;
    }
}

/** Waits some seconds for a job. Urgent jobs come first. Returns null if there is none. */
function next_job(Redis $redis, int $seconds): ?string
{
    [, $job] = $redis->blPop(['{jobs}:urgent', '{jobs}:normal'], $seconds) ?: [null, null];
    return $job;
}

/** Puts another file in the place of a configuration. A reader sees the old one or the new one. */
function replace_configuration(string $path, string $text): void
{
    if (OneHop\Topology::check($text) !== null) {
        throw new InvalidArgumentException('The new configuration is bad.');
    }
    file_put_contents("$path.new", $text);
    rename("$path.new", $path);
}
