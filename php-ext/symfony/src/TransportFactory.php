<?php

namespace OneHop\Symfony;

use InvalidArgumentException;
use Symfony\Component\Messenger\Bridge\Redis\Transport\Connection;
use Symfony\Component\Messenger\Bridge\Redis\Transport\RedisTransport;
use Symfony\Component\Messenger\Transport\Serialization\SerializerInterface;
use Symfony\Component\Messenger\Transport\TransportFactoryInterface;
use Symfony\Component\Messenger\Transport\TransportInterface;

/**
 * Messenger's own transport for Redis with a client of ours: `onehop://POOL/STREAM/GROUP/CONSUMER`,
 * with Messenger's own options in the DSN or beside it.
 */
final class TransportFactory implements TransportFactoryInterface
{
    private const OF_CONNECTION = [
        'host', 'port', 'auth', 'dbindex', 'tls', 'ssl', 'redis_sentinel', 'sentinel_master',
    ];

    public function createTransport(
        #[\SensitiveParameter] string $dsn,
        array $options,
        SerializerInterface $serializer,
    ): TransportInterface {
        $dsn = new Dsn($dsn);
        $options = $dsn->options + $options;
        unset($options['transport_name']);
        $ofConnection = array_intersect_key($options, array_flip(self::OF_CONNECTION));
        if ($ofConnection !== []) {
            throw new InvalidArgumentException(sprintf(
                'With a DSN onehop:// the file says how to connect: remove "%s". A database is'
                    . ' ?database=N.',
                implode('", "', array_keys($ofConnection)),
            ));
        }
        $client = $dsn->client();
        // Messenger sets the serializer only when it connects; our client counts as connected.
        $packing = $options['serializer'] ?? \Redis::SERIALIZER_PHP;
        $client->setOption(\Redis::OPT_SERIALIZER, $packing);
        $path = implode('/', $dsn->path);
        $connection = Connection::fromDsn("redis://onehop/$path", $options, $client);
        return new RedisTransport($connection, $serializer);
    }

    public function supports(#[\SensitiveParameter] string $dsn, array $options): bool
    {
        return Dsn::is($dsn);
    }
}
