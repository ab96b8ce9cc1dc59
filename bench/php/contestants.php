<?php
/*
 * The PHP contestants: the same jobs by OneHop and by its rivals, each set up as its documentation
 * recommends. bench/php/JobsBench.php gives them their keys and compares every value.
 *
 * A contestant is made without a connection. It connects at its first command, as a request does.
 * All values end in an array, in the order of order().
 */
declare(strict_types=1);

// Every key k has a hash whose field holds "name of k".
const FIELD = 'name';

abstract class Contestant
{
    /** @var array<string, string> The batch: keys with the values that they have or get. */
    protected array $values;
    /** @var string[] Its keys. */
    protected array $keys;

    /** Takes the next batch, before the clock starts. */
    public function prepare(array $values): void
    {
        $this->values = $values;
        $this->keys = array_keys($values);
    }

    /** The keys in the order of the values of pipeline() and mGet(). */
    public function order(): array
    {
        return $this->keys;
    }

    /** An HGET of each key, in one pipeline if the client has pipelines. */
    abstract public function pipeline(): array;

    /** Like pipeline(), but a node may be dead: values that could not be had are left out. */
    abstract public function survivors(): array;

    abstract public function get(string $key): ?string;

    abstract public function set(string $key, string $value): void;

    abstract public function mGet(): array;

    abstract public function mSet(): void;

    /** Returns how many keys existed. */
    abstract public function del(): int;

    /** Writes the hashes that pipeline() reads; for contestants with a placement of their own. */
    public function hSet(): void
    {
    }
}

/** One client of phpredis' interface: OneHop, or a plain \Redis connected to a node or a proxy. */
class OneClient extends Contestant
{
    public function __construct(protected \Redis|\RedisCluster|\RedisArray $redis)
    {
    }

    public function survivors(): array
    {
        try {
            return $this->pipeline();
        } catch (OneHop\PartialBatch $partial) {
            return $partial->getReplies();
        } catch (RedisException) {
            return [];
        }
    }

    public function pipeline(): array
    {
        $pipeline = $this->redis->pipeline();
        foreach ($this->keys as $key) {
            $pipeline->hGet($key, FIELD);
        }
        return $pipeline->exec();
    }

    public function get(string $key): ?string
    {
        $value = $this->redis->get($key);
        return $value === false ? null : $value;
    }

    public function set(string $key, string $value): void
    {
        $this->redis->set($key, $value);
    }

    public function mGet(): array
    {
        return $this->redis->mGet($this->keys);
    }

    public function mSet(): void
    {
        $this->redis->mSet($this->values);
    }

    public function del(): int
    {
        return $this->redis->del($this->keys);
    }
}

/** RedisCluster has no pipelines, so this sends one HGET after the other. */
final class WithoutPipelines extends OneClient
{
    private array $found;

    public function pipeline(): array
    {
        $this->found = [];
        foreach ($this->keys as $key) {
            $this->found[] = $this->redis->hGet($key, FIELD);
        }
        return $this->found;
    }

    /** Stops at the first failure, because each further failure would take as long. */
    public function survivors(): array
    {
        try {
            return $this->pipeline();
        } catch (RedisClusterException) {
            return $this->found;
        }
    }
}

/** RedisArray has a pipeline per node. Finding each key's node is a part of the measured time. */
final class PipelinePerTarget extends OneClient
{
    private array $order;

    public function pipeline(): array
    {
        $values = $this->order = [];
        foreach ($this->groups() as $host => $keys) {
            array_push($values, ...$this->ofNode($host, $keys));
            array_push($this->order, ...$keys);
        }
        return $values;
    }

    /** The keys of a node that fails are left out. */
    public function survivors(): array
    {
        $values = $this->order = [];
        foreach ($this->groups() as $host => $keys) {
            try {
                $found = $this->ofNode($host, $keys);
            } catch (RedisException) {
                $found = false;
            }
            if ($found) {
                array_push($values, ...$found);
                array_push($this->order, ...$keys);
            }
        }
        return $values;
    }

    public function mGet(): array
    {
        $this->order = $this->keys;
        return parent::mGet();
    }

    public function order(): array
    {
        return $this->order;
    }

    public function hSet(): void
    {
        foreach ($this->groups() as $host => $keys) {
            $pipeline = $this->redis->multi($host, \Redis::PIPELINE);
            foreach ($keys as $key) {
                $pipeline->hSet($key, FIELD, $this->values[$key]);
            }
            $pipeline->exec();
        }
    }

    private function groups(): array
    {
        $groups = [];
        foreach ($this->keys as $key) {
            $groups[$this->redis->_target($key)][] = $key;
        }
        return $groups;
    }

    private function ofNode(string $host, array $keys): array|false
    {
        $pipeline = $this->redis->multi($host, \Redis::PIPELINE);
        foreach ($keys as $key) {
            $pipeline->hGet($key, FIELD);
        }
        return $pipeline->exec();
    }
}

/**
 * Plain \Redis clients, one node after the other. The keys are grouped by node before the clock
 * starts, and the values stay in that grouping: the rival at its best.
 */
final class NodeAfterNode extends Contestant
{
    /** @var \Redis[] */
    private array $nodes = [];
    /** @var array<int, array<string, string>> The batch, by node. */
    private array $groups;

    /** If there is the file of a CA, connections use TLS. */
    public function __construct(
        private array $addresses,
        private Plan $plan,
        private bool $lasts,
        private ?string $authority = null,
    ) {
    }

    public function prepare(array $values): void
    {
        parent::prepare($values);
        $this->groups = [];
        foreach ($values as $key => $value) {
            $this->groups[$this->plan->nodeOf[$key]][$key] = $value;
        }
    }

    public function order(): array
    {
        return array_merge(...array_map('array_keys', array_values($this->groups)));
    }

    public function pipeline(): array
    {
        $values = [];
        foreach ($this->groups as $node => $group) {
            $values[] = $this->ofNode($node, $group);
        }
        return array_merge(...$values);
    }

    public function survivors(): array
    {
        $values = [];
        foreach ($this->groups as $node => $group) {
            try {
                $values[] = $this->ofNode($node, $group);
            } catch (RedisException) {
                unset($this->nodes[$node]);
                $values[] = array_fill(0, count($group), null);
            }
        }
        return array_merge(...$values);
    }

    public function get(string $key): ?string
    {
        $value = $this->node($this->plan->nodeOf[$key])->get($key);
        return $value === false ? null : $value;
    }

    public function set(string $key, string $value): void
    {
        $this->node($this->plan->nodeOf[$key])->set($key, $value);
    }

    public function mGet(): array
    {
        $values = [];
        foreach ($this->groups as $node => $group) {
            $values[] = $this->node($node)->mGet(array_keys($group));
        }
        return array_merge(...$values);
    }

    public function mSet(): void
    {
        foreach ($this->groups as $node => $group) {
            $this->node($node)->mSet($group);
        }
    }

    public function del(): int
    {
        $deleted = 0;
        foreach ($this->groups as $node => $group) {
            $deleted += $this->node($node)->del(array_keys($group));
        }
        return $deleted;
    }

    private function ofNode(int $node, array $group): array
    {
        $pipeline = $this->node($node)->pipeline();
        foreach ($group as $key => $value) {
            $pipeline->hGet($key, FIELD);
        }
        return $pipeline->exec();
    }

    private function node(int $index): \Redis
    {
        return $this->nodes[$index] ??=
            connected($this->plan, $this->addresses[$index], $this->lasts, $this->authority);
    }
}

/** Several proxies: each batch goes to the next. */
final class InTurns extends Contestant
{
    private OneClient $client;
    /** @var OneClient[] */
    private array $clients;
    private int $turn = 0;

    public function __construct(array $addresses, Plan $plan)
    {
        foreach ($addresses as $address) {
            $this->clients[] = new OneClient(connected($plan, $address));
        }
    }

    public function prepare(array $values): void
    {
        parent::prepare($values);
        $this->client = $this->clients[$this->turn++ % count($this->clients)];
        $this->client->prepare($values);
    }

    public function pipeline(): array
    {
        return $this->client->pipeline();
    }

    public function survivors(): array
    {
        return $this->client->survivors();
    }

    public function get(string $key): ?string
    {
        return $this->client->get($key);
    }

    public function set(string $key, string $value): void
    {
        $this->client->set($key, $value);
    }

    public function mGet(): array
    {
        return $this->client->mGet();
    }

    public function mSet(): void
    {
        $this->client->mSet();
    }

    public function del(): int
    {
        return $this->client->del();
    }
}

/**
 * Predis, on nodes that it shards itself or on a Redis Cluster. Its MGET, MSET and DEL refuse keys
 * of several nodes, so it gets a pipeline of single commands.
 */
final class PredisPipelines extends Contestant
{
    public function __construct(private Predis\Client $client)
    {
    }

    public function pipeline(): array
    {
        return $this->queued(static fn ($pipeline, $key) => $pipeline->hget($key, FIELD));
    }

    /** Without disconnect() the next pipeline gets the values that this one has not read. */
    public function survivors(): array
    {
        try {
            return $this->pipeline();
        } catch (Predis\PredisException) {
            $this->client->disconnect();
            return [];
        }
    }

    public function get(string $key): ?string
    {
        return $this->client->get($key);
    }

    public function set(string $key, string $value): void
    {
        $this->client->set($key, $value);
    }

    public function mGet(): array
    {
        return $this->queued(static fn ($pipeline, $key) => $pipeline->get($key));
    }

    public function mSet(): void
    {
        $this->queued(static fn ($pipeline, $key, $value) => $pipeline->set($key, $value));
    }

    public function del(): int
    {
        return array_sum($this->queued(static fn ($pipeline, $key) => $pipeline->del($key)));
    }

    public function hSet(): void
    {
        $this->queued(static fn ($pipeline, $key, $value) => $pipeline->hset($key, FIELD, $value));
    }

    private function queued(callable $append): array
    {
        return $this->client->pipeline(function ($pipeline) use ($append) {
            foreach ($this->values as $key => $value) {
                $append($pipeline, $key, $value);
            }
        });
    }
}

function connected(
    Plan $plan,
    array $address,
    bool $lasts = false,
    ?string $authority = null,
): \Redis {
    [$host, $port] = $address;
    $redis = new \Redis();
    if ($authority === null) {
        $redis->{$lasts ? 'pconnect' : 'connect'}($host, (int) $port, $plan->timeout);
    } else {
        $context = ['stream' => ['cafile' => $authority]];
        $redis->connect("tls://$host", (int) $port, $plan->timeout, null, 0, 0, $context);
    }
    $redis->setOption(\Redis::OPT_READ_TIMEOUT, $plan->timeout);
    return $redis;
}

function redisCluster(Plan $plan, array $seeds, bool $isCached): \RedisCluster
{
    ini_set('redis.clusters.cache_slots', $isCached ? '1' : '0');
    return new \RedisCluster(null, $seeds, $plan->timeout, $plan->timeout, $isCached);
}

function redisArray(Plan $plan, array $hosts): \RedisArray
{
    return new \RedisArray($hosts, [
        'lazy_connect' => true,
        'consistent' => true,
        'connect_timeout' => $plan->timeout,
        'read_timeout' => $plan->timeout,
    ]);
}

function predis(Plan $plan, array $hosts, array $options): Predis\Client
{
    require_once 'Predis/Autoloader.php';
    Predis\Autoloader::register();
    $times = ['timeout' => $plan->timeout, 'read_write_timeout' => $plan->timeout];
    $parameters = static function (string $host) use ($times) {
        [$name, $port] = explode(':', $host);
        return ['host' => $name, 'port' => (int) $port] + $times;
    };
    return new Predis\Client(array_map($parameters, $hosts), $options + ['parameters' => $times]);
}

/** The contestant of a plan's line: its kind, and the words after it. */
function contestant(Plan $plan, string $kind, string ...$words): Contestant
{
    $addresses = array_chunk($words, 2);
    $hosts = array_map(static fn (array $address) => implode(':', $address), $addresses);
    return match ($kind) {
        'onehop' => new OneClient(new OneHop\Redis($words[1], $words[0])),
        'pipeline' => new OneClient(connected($plan, $addresses[0])),
        'turns' => new InTurns($addresses, $plan),
        'sequential' => new NodeAfterNode($addresses, $plan, false),
        'encrypted' => new NodeAfterNode(
            array_chunk(array_slice($words, 1), 2),
            $plan,
            false,
            $words[0],
        ),
        'persistent' => new NodeAfterNode($addresses, $plan, true),
        'array' => new PipelinePerTarget(redisArray($plan, $hosts)),
        'cluster' => new WithoutPipelines(redisCluster($plan, $hosts, false)),
        'cached' => new WithoutPipelines(redisCluster($plan, $hosts, true)),
        'predis' => new PredisPipelines(predis($plan, $hosts, [])),
        'predis-cluster' => new PredisPipelines(predis($plan, $hosts, ['cluster' => 'redis'])),
    };
}
