package io.onehop.bench;

import io.lettuce.core.cluster.ClusterClientOptions;
import io.onehop.jedis.OneHopClient;
import io.onehop.spring.OneHopConnectionFactory;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import redis.clients.jedis.HostAndPort;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A StringRedisTemplate. Batches are sent by executePipelined(). */
final class OfSpring implements Worker.Contestant {
    private static final byte[] FIELD = Worker.FIELD.getBytes(StandardCharsets.UTF_8);

    private final StringRedisTemplate template;
    private final Runnable end;

    private OfSpring(RedisConnectionFactory factory, Runnable end) {
        this.template = new StringRedisTemplate(factory);
        this.end = end;
    }

    /** Over OneHop, as its starter for Spring Boot sets it up. */
    static OfSpring onehop(List<String> words) {
        OneHopClient client =
                OneHopClient.builder().config(Path.of(words.get(0))).pool(words.get(1)).build();
        return new OfSpring(new OneHopConnectionFactory(client), client::close);
    }

    /** Over the connection factory that Spring Boot sets up by itself. */
    static OfSpring lettuceCluster(List<String> words, int timeoutMs) {
        RedisClusterConfiguration cluster = new RedisClusterConfiguration();
        for (HostAndPort address : Worker.addresses(words)) {
            cluster.addClusterNode(new RedisNode(address.getHost(), address.getPort()));
        }
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(
                        cluster,
                        LettuceClientConfiguration.builder()
                                .commandTimeout(Duration.ofMillis(timeoutMs))
                                .clientOptions(ClusterClientOptions.create())
                                .build());
        factory.afterPropertiesSet();
        factory.start();
        return new OfSpring(factory, factory::destroy);
    }

    @Override
    @SuppressWarnings("unchecked") // The template's serializer makes strings of all replies.
    public List<String> hget(List<String> keys) {
        List<?> values =
                template.executePipelined(
                        (RedisCallback<Object>)
                                connection -> {
                                    for (String key : keys) {
                                        connection
                                                .hashCommands()
                                                .hGet(key.getBytes(StandardCharsets.UTF_8), FIELD);
                                    }
                                    return null;
                                });
        return (List<String>) values;
    }

    @Override
    public void hset(List<String> keys) {
        keys.forEach(
                key -> template.opsForHash().put(key, Worker.FIELD, Worker.FIELD + " of " + key));
    }

    @Override
    public String get(String key) {
        return template.opsForValue().get(key);
    }

    @Override
    public void set(String key, String value) {
        template.opsForValue().set(key, value);
    }

    @Override
    public List<String> mget(List<String> keys) {
        return template.opsForValue().multiGet(keys);
    }

    @Override
    public void mset(Map<String, String> values) {
        template.opsForValue().multiSet(values);
    }

    @Override
    public long del(List<String> keys) {
        return template.delete(keys);
    }

    @Override
    public void close() {
        end.run();
    }
}
