/*
 * The Java contestants that need libraries of their own: Lettuce, Redisson, Spring Data Redis, and
 * the last Jedis that had sharding. Each is set up as its documentation recommends.
 *
 * Run by bench/workers.py like Worker.java, with the jars of bench/java/pom.xml.
 */

package io.onehop.bench;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.redisson.Redisson;
import org.redisson.api.BatchResult;
import org.redisson.api.RBatch;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;

public final class Rivals {

    public static void main(String[] arguments) throws IOException {
        register();
        Worker.main(arguments);
    }

    /** Adds the contestants of this file to those of Worker. */
    static void register() {
        Worker.KINDS.put("lettuce", (words, timeoutMs) -> Lettuce.one(words, timeoutMs));
        Worker.KINDS.put(
                "lettuce-cluster", (words, timeoutMs) -> Lettuce.cluster(words, timeoutMs));
        Worker.KINDS.put("redisson", (words, timeoutMs) -> new OfRedisson(words, timeoutMs, false));
        Worker.KINDS.put(
                "redisson-cluster", (words, timeoutMs) -> new OfRedisson(words, timeoutMs, true));
        Worker.KINDS.put("spring-onehop", (words, timeoutMs) -> OfSpring.onehop(words));
        Worker.KINDS.put(
                "spring-lettuce-cluster",
                (words, timeoutMs) -> OfSpring.lettuceCluster(words, timeoutMs));
        Worker.KINDS.put("sharding", (words, timeoutMs) -> new Sharding(words, timeoutMs));
    }

    /**
     * JedisSharding takes keys of several nodes in a pipeline only. It is used by its name, because
     * Jedis 8, which this is compiled with, does not have it.
     */
    private static final class Sharding extends Worker.OfJedis {
        Sharding(List<String> words, int timeoutMs) {
            super(connect(words, timeoutMs));
        }

        private static UnifiedJedis connect(List<String> words, int timeoutMs) {
            JedisClientConfig config =
                    DefaultJedisClientConfig.builder().timeoutMillis(timeoutMs).build();
            try {
                return (UnifiedJedis)
                        Class.forName("redis.clients.jedis.JedisSharding")
                                .getConstructor(
                                        List.class,
                                        JedisClientConfig.class,
                                        GenericObjectPoolConfig.class)
                                .newInstance(
                                        List.copyOf(Worker.addresses(words)),
                                        config,
                                        Worker.connections());
            } catch (ReflectiveOperationException absent) {
                throw new IllegalStateException(absent);
            }
        }

        /** In Jedis 8 pipelined() has another return type. */
        @Override
        AbstractPipeline pipeline() {
            try {
                return (AbstractPipeline) jedis.getClass().getMethod("pipelined").invoke(jedis);
            } catch (ReflectiveOperationException absent) {
                throw new IllegalStateException(absent);
            }
        }

        @Override
        public List<String> mget(List<String> keys) {
            return piped(pipeline -> keys.stream().map(pipeline::get).toList());
        }

        @Override
        public void mset(Map<String, String> values) {
            piped(
                    pipeline ->
                            values.entrySet().stream()
                                    .map(pair -> pipeline.set(pair.getKey(), pair.getValue()))
                                    .toList());
        }

        @Override
        public long del(List<String> keys) {
            return piped(pipeline -> keys.stream().map(pipeline::del).toList()).stream()
                    .mapToLong(Long::longValue)
                    .sum();
        }

        private <T> List<T> piped(Function<AbstractPipeline, List<Response<T>>> queue) {
            List<Response<T>> responses;
            try (AbstractPipeline pipeline = pipeline()) {
                responses = queue.apply(pipeline);
                pipeline.sync();
            }
            return responses.stream().map(Response::get).toList();
        }
    }

    /** One connection for all calls; a batch is sent by its asynchronous commands. */
    private record Lettuce(
            AbstractRedisClient client,
            AutoCloseable connection,
            RedisClusterAsyncCommands<String, String> commands)
            implements Worker.Contestant {

        static Lettuce one(List<String> words, int timeoutMs) {
            RedisClient client = RedisClient.create(uris(words).get(0));
            client.setOptions(ClientOptions.builder().timeoutOptions(within(timeoutMs)).build());
            var connection = client.connect();
            return new Lettuce(client, connection, connection.async());
        }

        static Lettuce cluster(List<String> words, int timeoutMs) {
            RedisClusterClient client = RedisClusterClient.create(uris(words));
            client.setOptions(
                    ClusterClientOptions.builder().timeoutOptions(within(timeoutMs)).build());
            var connection = client.connect();
            return new Lettuce(client, connection, connection.async());
        }

        /** Asynchronous commands end after this time; without it, they wait forever. */
        private static TimeoutOptions within(int timeoutMs) {
            return TimeoutOptions.enabled(Duration.ofMillis(timeoutMs));
        }

        /** Connecting has more time than a command, because a new JVM is slow. */
        private static List<RedisURI> uris(List<String> words) {
            List<RedisURI> uris = new ArrayList<>();
            for (HostAndPort address : Worker.addresses(words)) {
                uris.add(
                        RedisURI.Builder.redis(address.getHost(), address.getPort())
                                .withTimeout(Duration.ofSeconds(5))
                                .build());
            }
            return uris;
        }

        @Override
        public List<String> hget(List<String> keys) {
            List<RedisFuture<String>> replies = new ArrayList<>(keys.size());
            for (String key : keys) {
                replies.add(commands.hget(key, Worker.FIELD));
            }
            List<String> values = new ArrayList<>(keys.size());
            for (RedisFuture<String> reply : replies) {
                values.add(valueOf(reply));
            }
            return values;
        }

        private static String valueOf(RedisFuture<String> reply) {
            try {
                return reply.get();
            } catch (ExecutionException | InterruptedException failed) {
                return null;
            }
        }

        @Override
        public void hset(List<String> keys) {
            keys.forEach(
                    key -> have(commands.hset(key, Worker.FIELD, Worker.FIELD + " of " + key)));
        }

        @Override
        public String get(String key) {
            return have(commands.get(key));
        }

        @Override
        public void set(String key, String value) {
            have(commands.set(key, value));
        }

        @Override
        public List<String> mget(List<String> keys) {
            List<String> values = new ArrayList<>(keys.size());
            for (KeyValue<String, String> pair : have(commands.mget(keys.toArray(String[]::new)))) {
                values.add(pair.getValueOrElse(null));
            }
            return values;
        }

        @Override
        public void mset(Map<String, String> values) {
            have(commands.mset(values));
        }

        @Override
        public long del(List<String> keys) {
            return have(commands.del(keys.toArray(String[]::new)));
        }

        @Override
        public void close() {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private static <T> T have(Future<T> reply) {
        try {
            return reply.get();
        } catch (ExecutionException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** RBatch for pipelines, RBuckets for many keys. */
    private static final class OfRedisson implements Worker.Contestant {
        private final RedissonClient client;

        OfRedisson(List<String> words, int timeoutMs, boolean isCluster) {
            Config config = new Config().setCodec(StringCodec.INSTANCE);
            List<String> addresses = new ArrayList<>();
            for (HostAndPort address : Worker.addresses(words)) {
                addresses.add("redis://" + address);
            }
            BaseConfig<?> servers =
                    isCluster
                            ? config.useClusterServers()
                                    .addNodeAddress(addresses.toArray(String[]::new))
                                    .setCheckSlotsCoverage(false)
                            : config.useSingleServer().setAddress(addresses.get(0));
            servers.setTimeout(timeoutMs);
            client = Redisson.create(config);
        }

        @Override
        public List<String> hget(List<String> keys) {
            RBatch batch = client.createBatch();
            for (String key : keys) {
                batch.<String, String>getMap(key).getAsync(Worker.FIELD);
            }
            List<String> values = new ArrayList<>(keys.size());
            try {
                BatchResult<?> result = batch.execute();
                result.getResponses().forEach(value -> values.add((String) value));
            } catch (RuntimeException failed) { // It returns all values or none.
                keys.forEach(key -> values.add(null));
            }
            return values;
        }

        @Override
        public void hset(List<String> keys) {
            keys.forEach(
                    key ->
                            client.<String, String>getMap(key)
                                    .fastPut(Worker.FIELD, Worker.FIELD + " of " + key));
        }

        @Override
        public String get(String key) {
            return client.<String>getBucket(key).get();
        }

        @Override
        public void set(String key, String value) {
            client.<String>getBucket(key).set(value);
        }

        @Override
        public List<String> mget(List<String> keys) {
            Map<String, String> found = client.getBuckets().get(keys.toArray(String[]::new));
            List<String> values = new ArrayList<>(keys.size());
            keys.forEach(key -> values.add(found.get(key)));
            return values;
        }

        @Override
        public void mset(Map<String, String> values) {
            client.getBuckets().set(values);
        }

        @Override
        public long del(List<String> keys) {
            return client.getKeys().delete(keys.toArray(String[]::new));
        }

        @Override
        public void close() {
            client.shutdown();
        }
    }
}
