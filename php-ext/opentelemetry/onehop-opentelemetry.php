<?php

/*
 * A span of every call and every batch of OneHop\Redis, for OpenTelemetry.
 *
 *     require 'vendor/autoload.php';
 *     require '/usr/share/onehop/opentelemetry/onehop-opentelemetry.php';
 *
 * Needs PHP 8.2 or later, ext-opentelemetry and open-telemetry/api; the SDK decides where spans go.
 * Names and attributes are those of OpenTelemetry's conventions for Redis; docs/operations.md lists
 * them. A span never contains a key or a value, nor the message of a failure, which may quote one.
 */

declare(strict_types=1);

namespace OneHop\OpenTelemetry;

use OneHop\Exception;
use OneHop\PartialBatch;
use OneHop\Redis;
use OneHop\Topology;
use OpenTelemetry\API\Instrumentation\CachedInstrumentation;
use OpenTelemetry\API\Trace\SpanInterface;
use OpenTelemetry\API\Trace\SpanKind;
use OpenTelemetry\API\Trace\StatusCode;
use OpenTelemetry\Context\Context;
use OpenTelemetry\Context\ScopeInterface;

use function OpenTelemetry\Instrumentation\hook;

/** What one client is doing. */
final class Call
{
    public ?SpanInterface $span = null;
    public ?ScopeInterface $scope = null;
    /** How many commands wait for exec(), and the name of all of them: null if they differ. */
    public int $queued = 0;
    public ?string $name = null;

    public function __construct(
        public readonly string $pool,
        public readonly ?string $path,
        public readonly string $database,
    ) {
    }
}

/** The hooks: one before each method that asks a node, and one after it. */
final class Hooks
{
    /** Methods that ask no node, and those that listen until they are told to stop. */
    private const SILENT = [
        '__construct', '__destruct', '_compress', '_pack', '_prefix', '_serialize', '_uncompress',
        '_unpack', '_unserialize', 'clearlasterror', 'cleartransferredbytes', 'close', 'connect',
        'getauth', 'getdbnum', 'gethost', 'getlasterror', 'getmode', 'getoption',
        'getpersistentid', 'getport', 'getreadtimeout', 'gettimeout', 'gettransferredbytes',
        'isconnected', 'multi', 'open', 'pconnect', 'pipeline', 'popen', 'psubscribe',
        'punsubscribe', 'setoption', 'ssubscribe', 'subscribe', 'sunsubscribe', 'unsubscribe',
    ];

    /** Methods that do not have the name of their command. */
    private const COMMANDS = [
        'delete' => 'DEL', 'evaluate' => 'EVAL', 'evaluatesha' => 'EVALSHA', 'getkeys' => 'KEYS',
        'getmultiple' => 'MGET', 'getwithmeta' => 'GET', 'lget' => 'LINDEX',
        'lgetrange' => 'LRANGE', 'listtrim' => 'LTRIM', 'lremove' => 'LREM', 'lsize' => 'LLEN',
        'renamekey' => 'RENAME', 'saddarray' => 'SADD', 'scontains' => 'SISMEMBER',
        'sendecho' => 'ECHO', 'servername' => 'INFO', 'serverversion' => 'INFO',
        'settimeout' => 'EXPIRE', 'sgetmembers' => 'SMEMBERS', 'sortasc' => 'SORT',
        'sortascalpha' => 'SORT', 'sortdesc' => 'SORT', 'sortdescalpha' => 'SORT',
        'sremove' => 'SREM', 'ssize' => 'SCARD', 'substr' => 'GETRANGE', 'zdelete' => 'ZREM',
        'zdeleterangebyrank' => 'ZREMRANGEBYRANK', 'zdeleterangebyscore' => 'ZREMRANGEBYSCORE',
        'zremove' => 'ZREM', 'zremoverangebyscore' => 'ZREMRANGEBYSCORE',
        'zreverserange' => 'ZREVRANGE', 'zsize' => 'ZCARD',
    ];

    /** Commands whose first argument is a part of their name. */
    private const CONTAINERS = [
        'ACL', 'CLIENT', 'COMMAND', 'CONFIG', 'FUNCTION', 'OBJECT', 'PUBSUB', 'SCRIPT', 'SLOWLOG',
        'XGROUP', 'XINFO',
    ];

    /** @var \WeakMap<Redis, Call> */
    private \WeakMap $calls;
    private CachedInstrumentation $spans;

    private function __construct()
    {
        $this->calls = new \WeakMap();
        $this->spans = new CachedInstrumentation(
            'io.onehop.redis',
            phpversion('onehop') ?: null,
            'https://opentelemetry.io/schemas/1.36.0',
        );
    }

    public static function register(): void
    {
        $hooks = new self();
        hook(Redis::class, '__construct', post: static function (Redis $redis, array $params) use (
            $hooks,
        ): void {
            $hooks->made($redis, $params);
        });
        $before = static function (Redis $redis, array $params, string $class, string $method) use (
            $hooks,
        ): void {
            $hooks->begin($redis, strtolower($method), $params);
        };
        $after = static function (
            Redis $redis,
            array $params,
            mixed $reply,
            ?\Throwable $failure,
        ) use ($hooks): void {
            $hooks->end($redis, $reply, $failure);
        };
        foreach (self::methods() as $method) {
            hook(Redis::class, $method, $before, $after);
        }
    }

    /** @return string[] all methods that ask a node */
    public static function methods(): array
    {
        $methods = (new \ReflectionClass(Redis::class))->getMethods(\ReflectionMethod::IS_PUBLIC);
        $names = array_column($methods, 'name');
        return array_filter($names, fn ($name) => !in_array(strtolower($name), self::SILENT, true));
    }

    /** The name of the command that a method sends. */
    public static function command(string $method, array $params): string
    {
        $first = is_string($params[0] ?? null) ? $params[0] : '';
        return match ($method) {
            'oneachnode' => self::command(strtolower($first), array_slice($params, 1)),
            'onnode' => self::command(
                strtolower((string) ($params[1] ?? '')),
                array_slice($params, 2),
            ),
            'rawcommand' => strtoupper($first),
            default => self::withSubcommand(
                self::COMMANDS[$method] ?? strtoupper($method),
                strtoupper($first),
            ),
        };
    }

    private static function withSubcommand(string $command, string $first): string
    {
        $is = $first !== '' && in_array($command, self::CONTAINERS, true);
        return $is ? "$command $first" : $command;
    }

    /** A client was made. */
    private function made(Redis $redis, array $params): void
    {
        $this->calls[$redis] = new Call(
            (string) ($params[0] ?? ''),
            $params[1] ?? null,
            (string) $redis->getDbNum(),
        );
    }

    private function begin(Redis $redis, string $method, array $params): void
    {
        $call = $this->calls[$redis] ?? null;
        if ($call === null) {
            return;
        }
        $mode = $redis->getMode();
        if ($method === 'discard') {
            $call->queued = 0;
        } elseif ($method === 'exec') {
            $this->beginBatch($call, $mode === \Redis::PIPELINE ? 'PIPELINE' : 'MULTI');
        } elseif ($mode === \Redis::ATOMIC) {
            $this->start($call, self::command($method, $params), 1);
        } else {
            $name = self::command($method, $params);
            $call->name = $call->queued === 0 || $call->name === $name ? $name : null;
            $call->queued++;
        }
    }

    private function beginBatch(Call $call, string $kind): void
    {
        $isOfOne = $call->queued > 0 && $call->name !== null;
        $this->start($call, $isOfOne ? "$kind $call->name" : $kind, $call->queued);
    }

    private function start(Call $call, string $operation, int $commands): void
    {
        $context = Context::getCurrent();
        $call->span = $this->spans->tracer()->spanBuilder($operation ?: 'redis')
            ->setParent($context)
            ->setSpanKind(SpanKind::KIND_CLIENT)
            ->setAttribute('db.system.name', 'redis')
            ->setAttribute('db.operation.name', $operation)
            ->setAttribute('db.namespace', $call->database)
            ->setAttribute('db.operation.batch.size', $commands > 1 ? $commands : null)
            ->setAttribute('onehop.pool', $call->pool)
            ->startSpan();
        $call->scope = $call->span->storeInContext($context)->activate();
    }

    private function end(Redis $redis, mixed $reply, ?\Throwable $failure): void
    {
        $call = $this->calls[$redis] ?? null;
        if ($call?->span === null) {
            return;
        }
        $call->scope->detach();
        if ($reply !== $redis) { // An exec() within a pipeline only waits for its own.
            $call->queued = 0;
            if ($failure !== null) {
                $this->describe($call, $failure);
            }
            $call->span->end();
        }
        $call->span = $call->scope = null;
    }

    /** Says what failed, and on which node, without any message. */
    private function describe(Call $call, \Throwable $failure): void
    {
        $type = $failure::class;
        $outcome = 'the call was not completed';
        if ($failure instanceof Exception) {
            $type = $failure->getKind();
            $outcome = $failure->mayHaveExecuted()
                ? 'the command may have executed'
                : 'the command was not sent';
            $this->describeNode($call, $failure);
        } elseif (
            $failure instanceof \RedisException
            && preg_match('/^[A-Z][A-Z0-9_]*(?= |$)/', $failure->getMessage(), $code)
        ) {
            $type = $code[0];
            $outcome = 'the node answered an error';
            $call->span->setAttribute('db.response.status_code', $type);
        }
        $call->span->setAttribute('error.type', $type);
        $call->span->setStatus(StatusCode::STATUS_ERROR, "$type: $outcome");
    }

    private function describeNode(Call $call, Exception $failure): void
    {
        $failed = $failure instanceof PartialBatch ? array_keys($failure->getFailures()) : [];
        $name = count($failed) === 1 ? (string) $failed[0] : $failure->getNode();
        if ($name === null) {
            return;
        }
        $call->span->setAttribute('onehop.node', $name);
        foreach ((new Topology($call->pool, $call->path))->nodes() as $node) {
            if ($node->name === $name) {
                $call->span->setAttribute('server.address', $node->path ?? $node->host);
                $call->span->setAttribute('server.port', $node->port);
            }
        }
    }
}

/* Without the extension or the API there are no spans, and the program runs all the same. */
if (
    function_exists('OpenTelemetry\Instrumentation\hook')
    && class_exists(CachedInstrumentation::class)
) {
    Hooks::register();
}
