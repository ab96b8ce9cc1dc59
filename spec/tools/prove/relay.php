<?php
/* A wire tap between phpredis and a real server. It records what is sent, byte for byte, and passes
 * it on unchanged.
 *
 * In: the server's port. Out: a port of its own and, after each call, the commands that went
 * through. A separate process passes the bytes on. A call may end, or crash its process, before the
 * relay has run, so the record is read and cleared only when nothing is left to pass on.
 * MONITOR would not do: it hides administrative commands, and shows nothing of a request that the
 * server cannot parse. */

declare(strict_types=1);

final class Relay
{
    public readonly int $port;
    private int $child;
    private $record;
    // A byte asks the relay to answer when all is passed on. The relay ends when this end of the
    // pair is closed: in stop(), or because this process ends.
    private $leash;

    public function __construct(private readonly int $serverPort)
    {
        $listener = stream_socket_server('tcp://127.0.0.1:0');
        $this->port = (int) substr(strrchr(stream_socket_get_name($listener, false), ':'), 1);
        $this->record = tmpfile();
        [$this->leash, $end] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $this->child = pcntl_fork();
        if ($this->child === 0) {
            fclose($this->leash);
            $this->serve($listener, $end);
        }
        fclose($end);
        fclose($listener);
    }

    public function stop(): void
    {
        fclose($this->leash);
        pcntl_waitpid($this->child, $status);
    }

    /** Waits until everything that was sent is recorded and passed on. */
    private function settle(): void
    {
        fwrite($this->leash, '?');
        fread($this->leash, 1);
    }

    /** Clears the record. */
    public function forget(): void
    {
        $this->settle();
        ftruncate($this->record, 0);
    }

    /** The commands since forget(); null in place of bytes that are not a command. */
    public function commands(): array
    {
        $this->settle();
        clearstatcache();
        rewind($this->record);
        $bytes = stream_get_contents($this->record);
        $commands = [];
        for ($at = 0; $at < strlen($bytes);) {
            $words = self::command($bytes, $at);
            $commands[] = $words;
            if ($words === null) {
                break;
            }
        }
        return $commands;
    }

    /** Reads a RESP array of bulk strings at $at and moves $at after it; null if there is none. */
    private static function command(string $bytes, int &$at): ?array
    {
        if (!preg_match('/\G\*(\d+)\r\n/', $bytes, $head, 0, $at)) {
            return null;
        }
        $at += strlen($head[0]);
        $words = [];
        while (count($words) < (int) $head[1]) {
            if (!preg_match('/\G\$(\d+)\r\n/', $bytes, $bulk, 0, $at)) {
                return null;
            }
            $at += strlen($bulk[0]);
            $words[] = substr($bytes, $at, (int) $bulk[1]);
            $at += (int) $bulk[1] + 2;
        }
        return $words;
    }

    private function serve($listener, $end): never
    {
        $peer = [];  // socket id => [socket, the other socket, whether its bytes are recorded]
        while (true) {
            $ready = array_merge([$end, $listener], array_column($peer, 0));
            $none = null;
            stream_select($ready, $none, $none, null);
            if (array_values($ready) === [$end]) { // All else is passed on.
                fread($end, 1) === '?' ? fwrite($end, '.') : exit(0);
                continue;
            }
            foreach ($ready as $socket) {
                if ($socket === $listener) {
                    $client = stream_socket_accept($listener);
                    $server = stream_socket_client("tcp://127.0.0.1:$this->serverPort");
                    $peer[(int) $client] = [$client, $server, true];
                    $peer[(int) $server] = [$server, $client, false];
                } elseif (isset($peer[(int) $socket])) {
                    $this->pass($peer, $socket);
                }
            }
        }
    }

    private function pass(array &$peer, $socket): void
    {
        [, $other, $recorded] = $peer[(int) $socket];
        $bytes = fread($socket, 65536);
        if ($bytes === '' || $bytes === false) {
            unset($peer[(int) $socket], $peer[(int) $other]);
            fclose($socket);
            fclose($other);
            return;
        }
        if ($recorded) {
            fseek($this->record, 0, SEEK_END);
            fwrite($this->record, $bytes);
            fflush($this->record);
        }
        fwrite($other, $bytes);
    }
}
