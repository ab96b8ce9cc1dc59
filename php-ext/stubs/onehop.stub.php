<?php

/**
 * OneHop's own classes. OneHop\Redis shows only what phpredis does not have. Its other methods are
 * made when the extension loads: one for each method of phpredis' \Redis, with the same signature.
 *
 * @generate-class-entries
 */

namespace OneHop;

/**
 * A server pool that works like one server: phpredis' API, each command on the node of its key.
 *
 * @not-serializable
 */
class Redis extends \Redis
{
    /**
     * Uses the server pool `$pool` of the configuration `$path`: the path of a file, the text of a
     * file (a string with a newline, `{` or `: ` that does not begin with /), or an array with the
     * directives of the pool. The default is the INI setting onehop.config. A DSN as the only
     * argument says both: `onehop:///etc/onehop.yml?pool=shop` or
     * `onehop://user:password@10.0.0.1:6379,10.0.0.2:6379?cluster=true`.
     *
     * Reads a file unless this host has already read it. Calls no node.
     *
     * @param null|string|array<string, null|string|int|bool|list<string>> $path
     * @throws ConfigInvalid if the configuration is bad, or has no such server pool, or the pool
     *     does not speak redis.
     */
    public function __construct(
        #[\SensitiveParameter] string $pool,
        #[\SensitiveParameter] array|string|null $path = null,
    ) {}

    /**
     * Calls a method of phpredis on all nodes in parallel. Methods that OneHop refuses for several
     * nodes are allowed, except those that change a connection for its next users.
     *
     * @return array<string, mixed> node name => phpredis' reply.
     * @throws PartialBatch if some nodes fail; getReplies() has the others by name.
     */
    public function onEachNode(string $method, mixed ...$arguments): array {}

    /** Calls a method on the node of this name. Returns phpredis' reply. */
    public function onNode(string $node, string $method, mixed ...$arguments): mixed {}
}

/**
 * Where keys live: one server pool as this process sees it. With auto_eject_hosts, ejected nodes
 * are left out.
 *
 * @strict-properties
 * @not-serializable
 */
final class Topology
{
    /**
     * `$pool` and `$path` are those of OneHop\Redis. `$dead` names servers to leave out, as if they
     * were ejected.
     *
     * @param null|string|array<string, null|string|int|bool|list<string>> $path
     * @throws ConfigInvalid
     */
    public function __construct(
        #[\SensitiveParameter] string $pool,
        #[\SensitiveParameter] array|string|null $path = null,
        array $dead = [],
    ) {}

    /** Makes a topology from the text of a configuration. */
    public static function fromText(
        string $pool,
        #[\SensitiveParameter] string $text,
        array $dead = [],
    ): Topology {}

    public function locate(string $key): Node {}

    /**
     * Shows how a key is placed: key, hashed, hash_function, hash, distribution, point, node. For a
     * key that moves (moving_from) also from: the node that it moves from.
     */
    public function explain(string $key): array {}

    /**
     * The keys of a list that are on another node in `$next`, so that they would be sought there.
     * Another node has another address or, if Sentinels watch both, another name. Calls no node.
     *
     * @param array<string> $keys
     * @return list<string>
     */
    public function moved(Topology $next, array $keys): array {}

    /** @return Node[] in the order of their index. */
    public function nodes(): array {}

    /** Two topologies have equal fingerprints if and only if they place all keys alike. */
    public function fingerprint(): string {}

    /** The hash of a key, which may be empty, by the algorithm's name in a configuration. */
    public static function hash(string $algorithm, string $key): int {}

    /** The slot of a key in a Redis Cluster. */
    public static function slot(string $key): int {}

    /**
     * The server pools that the host knows. The host is all processes that share the memory of a
     * php-fpm master, or this process if it is alone. Each pool has its nodes with their state,
     * their connections and the outcomes of their calls, of all processes and of this one alone
     * (spec/meter). Times are in microseconds. No node is called. docs/operations.md lists the
     * fields.
     *
     * @return array<int, array<string, mixed>>
     */
    public static function status(): array {}

    /**
     * Null if the text is a valid configuration. Otherwise the line and the reason of its first
     * error, all errors in the order of their lines (at most ten), and how many more there are.
     *
     * @return null|array{line: int, reason: string,
     *     errors: list<array{line: int, reason: string}>, more: int}
     */
    public static function check(#[\SensitiveParameter] string $text): ?array {}
}

/**
 * One node of a server pool.
 *
 * @strict-properties
 * @not-serializable
 */
final class Node
{
    public readonly int $index;
    public readonly string $name;
    /** Null for a unix socket. */
    public readonly ?string $host;
    /** Null for a unix socket. */
    public readonly ?int $port;
    /** The path of a unix socket, otherwise null. */
    public readonly ?string $path;
    public readonly int $weight;
    /** Temporarily out of placement (auto_eject_hosts), or named as dead for its Topology. */
    public readonly bool $isEjected;
    /** In a Redis Cluster: master, replica, or spare (a master without slots); otherwise null. */
    public readonly ?string $role;

    private function __construct() {}
}

/** A failure of OneHop. The subclasses are the kinds of spec/errors.json. */
class Exception extends \RedisException
{
    private string $kind = "";
    private ?string $node = null;
    private bool $mayHaveExecuted = false;

    /** The name of the kind: NodeDown, DeadlineExceeded ... */
    public function getKind(): string {}

    /** The name of the node that failed, or null if the failure is about no node. */
    public function getNode(): ?string {}

    /** False only if it is certain that the command had no effect. */
    public function mayHaveExecuted(): bool {}
}

class NodeDown extends Exception {}

class DeadlineExceeded extends Exception {}

class CrossNode extends Exception {}

class PoolExhausted extends Exception {}

class ConfigInvalid extends Exception {}

class ProtocolViolation extends Exception {}

class Unsupported extends Exception {}

/** Some nodes of a batch or of a split command have failed; the others have answered. */
class PartialBatch extends Exception
{
    private array $replies = [];
    private array $failures = [];

    /**
     * The replies in the caller's order, with an exception in the place of each failed command.
     * After a single split command these are one reply per key for MGET, and one per node, in the
     * order of the keys, for all others.
     */
    public function getReplies(): array {}

    /** @return array<string, Exception> node name => its failure. */
    public function getFailures(): array {}
}
