package io.onehop.spring;

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.data.redis.listener.Topic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Three servers as a ring, and three masters as a Redis Cluster, started when the first test of a
 * process needs them. All tests of the process share these servers, so no test stops a server, and
 * each test has keys of its own.
 */
enum Fleet {
    RING {
        @Override
        String start() {
            return Nodes.start(3).config("hash_tag: \"{}\"");
        }
    },
    CLUSTER {
        @Override
        String start() {
            return RedisCluster.start(3, false).config();
        }
    };

    private String config;
    private OneHopClient client;

    /** Starts the servers, and returns the configuration of their server pool {@code alpha}. */
    abstract String start();

    synchronized String config() {
        if (config == null) {
            config = start();
        }
        return config;
    }

    synchronized OneHopClient client() {
        if (client == null) {
            client = Nodes.clientOf(config());
        }
        return client;
    }

    OneHopConnectionFactory factory() {
        return new OneHopConnectionFactory(client());
    }

    StringRedisTemplate template() {
        return new StringRedisTemplate(factory());
    }

    /** Two keys that cannot be in one command: they are on two nodes. */
    List<String> apart(String prefix) {
        return apart(client(), prefix);
    }

    /** Two keys that are on two nodes of this client. */
    static List<String> apart(OneHopClient client, String prefix) {
        client.exists("the map of a cluster is known from here on");
        List<String> keys = new ArrayList<>(List.of(prefix + 0));
        for (int i = 1; keys.size() < 2; i++) {
            String key = prefix + i;
            if (!nodeOf(client, key).equals(nodeOf(client, keys.get(0)))) {
                keys.add(key);
            }
        }
        return keys;
    }

    static String nodeOf(OneHopClient client, String key) {
        return client.topology().locate(key).name();
    }

    /** A container without listeners. It waits long enough for a busy machine. */
    static RedisMessageListenerContainer container(RedisConnectionFactory factory) {
        RedisMessageListenerContainer container = new RedisMessageListenerContainer();
        container.setConnectionFactory(factory);
        container.setMaxSubscriptionRegistrationWaitingTime(30_000);
        container.setRecoveryInterval(50);
        return container;
    }

    /**
     * Waits until notifications of keys are heard from every node. A notification that a node
     * publishes before it has the subscription is lost, and no test is about that.
     */
    void awaitHeard(
            RedisMessageListenerContainer container, Topic topic, Consumer<String> causeOfKey) {
        Set<String> nodes = new HashSet<>();
        client().topology().nodes().forEach(node -> nodes.add(node.name()));
        Map<String, String> keys = new HashMap<>(); // For each node a key.
        for (int i = 0; keys.size() < nodes.size(); i++) {
            keys.putIfAbsent(nodeOf(client(), "probe:" + i), "probe:" + i);
        }
        Set<String> heard = ConcurrentHashMap.newKeySet();
        container.addMessageListener(
                (message, pattern) -> heard.add(new String(message.getBody())), topic);
        await(
                "each node tells of its keys",
                () -> {
                    keys.values().forEach(causeOfKey);
                    return heard.containsAll(keys.values());
                });
    }

    /** Fails if the condition is not true within 30 s. */
    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + 30_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("for 30 s it was not true that " + what);
            }
            try {
                Thread.sleep(20);
            } catch (InterruptedException interrupted) {
                throw new AssertionError(what, interrupted);
            }
        }
    }
}
