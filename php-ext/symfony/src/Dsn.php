<?php

namespace OneHop\Symfony;

use InvalidArgumentException;

/**
 * `onehop://POOL/PATH?config=FILE&database=N`, with further options for the service that takes it.
 * The default of `config` is the file that php.ini names. A DSN that OneHop\Redis itself reads is
 * passed on unchanged: `onehop:///FILE?pool=POOL`, `onehop://HOST:PORT,HOST:PORT?DIRECTIVE=VALUE`.
 */
final class Dsn
{
    /** Options that are not for the client, such as `prefix` and `ttl` of a session. */
    public readonly array $options;
    /** @var list<string> The parts of the path. */
    public readonly array $path;
    private readonly array $arguments;
    private readonly ?int $database;

    public static function is(mixed $given): bool
    {
        return is_string($given) && str_starts_with($given, 'onehop:');
    }

    public function __construct(#[\SensitiveParameter] string $dsn)
    {
        $isPool = preg_match('~^onehop://([^:/?@,]+)(?:/([^?]*))?(?:\?(.*))?$~', $dsn, $match);
        parse_str($isPool ? $match[3] ?? '' : '', $query);
        $this->arguments = $isPool ? [$match[1], $query['config'] ?? null] : [$dsn];
        $parts = $isPool ? explode('/', $match[2] ?? '') : [];
        $this->path = array_values(array_filter($parts, static fn ($part) => $part !== ''));
        $database = $query['database'] ?? null;
        if ($database !== null && (!is_string($database) || !ctype_digit($database))) {
            throw new InvalidArgumentException(
                'In a DSN onehop:// the database is a number, as in database=1.',
            );
        }
        $this->database = $database === null ? null : (int) $database;
        $this->options = array_diff_key($query, ['config' => 1, 'database' => 1]);
    }

    /** A new client. It connects to nothing yet, unless it has to choose a database. */
    public function client(): \OneHop\Redis
    {
        $client = new \OneHop\Redis(...$this->arguments);
        if ($this->database !== null && !$client->select($this->database)) {
            $error = trim($client->getLastError());
            throw new InvalidArgumentException(
                "A DSN asks for database $this->database, and a node of its server pool "
                    . "{$client->getHost()} refuses it: $error",
            );
        }
        return $client;
    }

    /** A client for a service without options; refuses a path and options, which nobody reads. */
    public function clientAlone(): \OneHop\Redis
    {
        $this->refuse([...$this->path, ...array_keys($this->options)]);
        return $this->client();
    }

    /** A client for a service with options, but without a path. */
    public function clientWithoutPath(): \OneHop\Redis
    {
        $this->refuse($this->path);
        return $this->client();
    }

    private function refuse(array $words): void
    {
        if ($words !== []) {
            throw new InvalidArgumentException(sprintf(
                'Here a DSN onehop:// has no "%s": write onehop://POOL?config=FILE&database=N.',
                implode('", "', $words),
            ));
        }
    }
}
