<?php

namespace OneHop\Laravel;

use Illuminate\Broadcasting\BroadcastException;
use Illuminate\Broadcasting\Broadcasters\RedisBroadcaster;
use Illuminate\Support\Arr;

/**
 * Laravel's broadcaster, which publishes call by call. Laravel's own takes one script without keys,
 * which no node can be chosen for.
 */
final class Broadcaster extends RedisBroadcaster
{
    public function broadcast(array $channels, $event, array $payload = []): void
    {
        $connection = $this->redis->connection($this->connection);
        $message = json_encode([
            'event' => $event,
            'data' => $payload, // With the socket, as Laravel's own.
            'socket' => Arr::pull($payload, 'socket'),
        ]);
        try {
            foreach ($this->formatChannels($channels) as $channel) { // With the prefix already.
                $connection->executeRaw(['PUBLISH', $channel, $message]);
            }
        } catch (\RedisException $e) {
            throw new BroadcastException("Redis error: {$e->getMessage()}.", 0, $e);
        }
    }
}
