<?php

/**
 * OneHop's own classes. OneHop\Redis shows what phpredis has not got: its other methods are made when the extension loads,
 * one for each method of the \Redis that phpredis brings, with that method's own signature.
 *
 * @generate-class-entries
 */

namespace OneHop;

/**
 * A server pool that is spoken to like one server: phpredis' API, each command on the node of its key.
 *
 * @not-serializable
 */
class Redis extends \Redis
{
    /**
     * Takes the server pool `$pool` of the configuration `$path` (default: the INI setting onehop.config). Reads
     * the file, or remembers it; talks to no node.
     *
     * @throws ConfigInvalid if the file is bad, or has no such server pool, or not one that speaks redis.
     */
    public function __construct(string $pool, ?string $path = null) {}

    /**
     * Calls a method of phpredis on every node at once: what the fleet refuses too, but nothing that changes a
     * connection for those who use it next.
     *
     * @return array<string, mixed> node name => phpredis' reply.
     * @throws PartialBatch if some nodes fail; getReplies() has the others by name.
     */
    public function onEachNode(string $method, mixed ...$arguments): array {}

    /** The same on one node, by its name: phpredis' reply. */
    public function onNode(string $node, string $method, mixed ...$arguments): mixed {}
}

/**
 * Where keys live: one server pool as this process sees it. With auto_eject_hosts nodes that are ejected are left out.
 *
 * @strict-properties
 * @not-serializable
 */
final class Topology
{
    /**
     * `$dead` names servers that are to be left out, as if they were ejected.
     *
     * @throws ConfigInvalid
     */
    public function __construct(string $pool, ?string $path = null, array $dead = []) {}

    /** The same from the text of a configuration. */
    public static function fromText(string $pool, string $text, array $dead = []): Topology {}

    public function locate(string $key): Node {}

    /** How a key comes to its node: key, hashed, hash_function, hash, distribution, point, node. */
    public function explain(string $key): array {}

    /** @return Node[] in the order of their index. */
    public function nodes(): array {}

    /** Equal exactly where keys are placed alike. */
    public function fingerprint(): string {}

    /** The number an algorithm gives, by its name in a configuration; an empty key is not special here. */
    public static function hash(string $algorithm, string $key): int {}

    /** The slot a key has in a Redis Cluster. */
    public static function slot(string $key): int {}

    /**
     * The server pools that are known to the host, which is all processes that share one php-fpm master's memory, or to
     * this process if it is alone: each with its nodes, how they are, their connections, and what became of their calls
     * (spec/meter). Times are microseconds. Asks no node; docs/operations.md has the fields.
     *
     * @return array<int, array<string, mixed>>
     */
    public static function status(): array {}

    /** Null if the text is a configuration, otherwise what is wrong with it: line and reason. */
    public static function check(string $text): ?array {}
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
    /** Of a unix socket, otherwise null. */
    public readonly ?string $path;
    public readonly int $weight;
    /** Out of placement for a while (auto_eject_hosts), or named as dead when its Topology was made. */
    public readonly bool $isEjected;
    /** In a Redis Cluster: master, replica, or spare (a master without slots); otherwise null. */
    public readonly ?string $role;

    private function __construct() {}
}

/**
 * Whether a node is worth asking: the rules alone, for those who want to see what becomes of a node.
 *
 * @strict-properties
 * @not-serializable
 */
final class Health
{
    /**
     * The state after an event: state (0 is a new one), until, failures, step, generation, and the answer to an ask. Rules:
     * ejects, failure_limit, retry_ms. Event: at, and ask (patience), failed (connect or exchange; born, heard, chance, and
     * last_heard of the node), answered or rebuild; instants in milliseconds.
     */
    public static function next(array $rules, int $state, array $event): array {}
}

/**
 * The wire guard, for those who want to see what it thinks of a stream of bytes.
 *
 * @strict-properties
 * @not-serializable
 */
final class Wire
{
    /** As if so many commands had been written, and then these chunks were read: answered, owed, clean, error. */
    public static function frame(int $commands, array $chunks): array {}
}

/** What OneHop could not do. Its subclasses are the kinds of spec/errors.json. */
class Exception extends \RedisException
{
    private string $kind = "";
    private ?string $node = null;
    private bool $mayHaveExecuted = false;

    /** The name of the kind: NodeDown, DeadlineExceeded ... */
    public function getKind(): string {}

    /** The name of the node it is about, if it is about one. */
    public function getNode(): ?string {}

    /** False if it is certain that the command had no effect. */
    public function mayHaveExecuted(): bool {}
}

class NodeDown extends Exception {}

class DeadlineExceeded extends Exception {}

class CrossNode extends Exception {}

class PoolExhausted extends Exception {}

class ConfigInvalid extends Exception {}

class ProtocolViolation extends Exception {}

class Unsupported extends Exception {}

/** A batch over several nodes, or a command split over them, of which a part came back. */
class PartialBatch extends Exception
{
    private array $replies = [];
    private array $failures = [];

    /**
     * The replies in the caller's order; in the place of a command that failed stands its exception. After a single
     * split command: MGET has one entry per key, the others one per node, in the order of the keys.
     */
    public function getReplies(): array {}

    /** @return array<string, Exception> node name => what failed there. */
    public function getFailures(): array {}
}
