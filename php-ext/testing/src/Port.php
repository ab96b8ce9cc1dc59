<?php

namespace OneHop\Testing;

/**
 * A free loopback port, with a lower number than ports of outgoing connections have. A UDP socket
 * with the same number reserves the port, even while its server is stopped. So no two processes of
 * tests get the same port.
 *
 * @internal
 */
final class Port
{
    private const FIRST = 32000;
    private const LAST = 32767;

    public readonly int $number;
    /** @var resource */
    private mixed $reserved;

    public function __construct()
    {
        for ($tries = 0; $tries < 100 * (self::LAST - self::FIRST); $tries++) {
            $port = random_int(self::FIRST, self::LAST);
            $flags = STREAM_SERVER_BIND;
            $reserved = @stream_socket_server("udp://127.0.0.1:$port", $code, $why, $flags);
            if ($reserved && @stream_socket_server("tcp://127.0.0.1:$port")) {
                $this->number = $port;
                $this->reserved = $reserved;
                return;
            }
        }
        throw new \RuntimeException('no port is free from ' . self::FIRST . ' to ' . self::LAST);
    }
}
