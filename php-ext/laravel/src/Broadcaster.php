<?php

namespace OneHop\Laravel;

use Illuminate\Broadcasting\BroadcastException;
use Illuminate\Broadcasting\Broadcasters\RedisBroadcaster;
use Illuminate\Support\Arr;

/**
 * A broadcaster that publishes call by call. Laravel's own broadcaster runs one script without
 * keys, for which no node can be chosen.
 */
final class Broadcaster extends RedisBroadcaster
{
    public function broadcast(array $channels, $event, array $payload = []): void
    {
        $connection = $this->redis->connection($this->connection);
        $message = json_encode([
            'event' => $event,
            'data' => $payload, // The payload still has the socket, as Laravel sends it.
            'socket' => Arr::pull($payload, 'socket'),
        ]);
        try {
            foreach ($this->formatChannels($channels) as $channel) { // They have the prefix.
                $connection->executeRaw(['PUBLISH', $channel, $message]);
            }
        } catch (\RedisException $e) {
            throw new BroadcastException("Redis error: {$e->getMessage()}.", 0, $e);
        }
    }
}
