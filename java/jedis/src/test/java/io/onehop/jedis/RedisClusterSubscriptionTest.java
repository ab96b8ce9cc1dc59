package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.key.Key;
import io.onehop.jedis.lab.RedisCluster;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.JedisShardedPubSub;
import redis.clients.jedis.Protocol.Command;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/** Subscriptions on a real Redis Cluster whose slots move and whose nodes leave. */
class RedisClusterSubscriptionTest {
    private RedisCluster cluster;
    private OneHopClient client;

    @BeforeEach
    void start() {
        cluster = RedisCluster.start(3, false);
        client = cluster.client("timeout: 5000");
    }

    @AfterEach
    void stop() {
        client.close();
        cluster.close();
    }

    /** A subscription in a thread of its own, and how it ended. */
    private static final class Listening {
        private final AtomicReference<Throwable> end = new AtomicReference<>();
        private final Thread thread;

        Listening(Runnable subscription) {
            thread =
                    new Thread(
                            () -> {
                                try {
                                    subscription.run();
                                } catch (RuntimeException over) {
                                    end.set(over);
                                }
                            });
            thread.start();
        }

        Throwable end() throws InterruptedException {
            thread.join(30_000);
            assertEquals(false, thread.isAlive(), "the subscription goes on in silence");
            return end.get();
        }
    }

    private static final class Sharded extends JedisShardedPubSub {
        private final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public void onSMessage(String channel, String message) {
            heard.add(message);
            if (message.equals("last")) {
                sunsubscribe(channel);
            }
        }
    }

    private static final class Plain extends JedisPubSub {
        private final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public void onMessage(String channel, String message) {
            heard.add(message);
        }

        @Override
        public void onPMessage(String pattern, String channel, String message) {
            heard.add(message);
        }
    }

    private static String channelOf(int server) {
        return IntStream.range(0, 100_000)
                .mapToObj(i -> "news:" + i)
                .filter(
                        channel -> {
                            byte[] bytes = channel.getBytes();
                            return Key.slot(bytes, 0, bytes.length) * 3 / 16384 == server;
                        })
                .findFirst()
                .orElseThrow();
    }

    private static int slot(String channel) {
        byte[] bytes = channel.getBytes();
        return Key.slot(bytes, 0, bytes.length);
    }

    private long spublish(String channel, String message) {
        CommandArguments arguments =
                new CommandArguments(Command.SPUBLISH).key(channel).add(message);
        return client.executeCommand(new CommandObject<>(arguments, BuilderFactory.LONG));
    }

    private void awaitListeners(int server, String channel) {
        try (Jedis jedis = cluster.server(server).jedis()) {
            RedisCluster.await(
                    "there is a subscriber",
                    () ->
                            ((List<?>) jedis.sendCommand(Command.PUBSUB, "SHARDNUMSUB", channel))
                                    .contains(1L));
        }
    }

    @Test
    void aShardSubscriptionEndsWhenItsSlotMovesAndTheNextOneUsesTheNewNode()
            throws InterruptedException {
        String channel = channelOf(0);
        Sharded first = new Sharded();
        Listening listening = new Listening(() -> client.ssubscribe(first, channel));
        awaitListeners(0, channel);
        assertEquals(1, spublish(channel, "before"));
        RedisCluster.await("it was heard", () -> first.heard.contains("before"));
        cluster.move(slot(channel), 0, 1);
        NodeDown over = assertInstanceOf(NodeDown.class, listening.end());
        assertTrue(over.getMessage().contains("subscribe again"), over.getMessage());
        assertEquals(cluster.server(0).node(), over.getNode());
        RedisCluster.await(
                "the map knows",
                () ->
                        spublish(channel, "no subscriber") == 0
                                && client.topology()
                                        .locate(channel)
                                        .name()
                                        .equals(cluster.server(1).node()));
        Sharded second = new Sharded();
        Listening again = new Listening(() -> client.ssubscribe(second, channel));
        awaitListeners(1, channel);
        spublish(channel, "last");
        assertEquals(null, again.end());
        assertEquals(List.of("last"), second.heard);
    }

    @Test
    void aShardSubscriptionByAStaleMapIsRefusedOnceAndTheMapLearns() throws InterruptedException {
        String channel = channelOf(0);
        client.get(channel);
        cluster.move(slot(channel), 0, 1);
        NodeDown refused =
                assertInstanceOf(
                        NodeDown.class,
                        new Listening(() -> client.ssubscribe(new Sharded(), channel)).end());
        assertTrue(
                refused.getMessage().contains("The cluster cannot serve this now: it said MOVED "),
                refused.getMessage());
        Sharded sharded = new Sharded();
        Listening listening = new Listening(() -> client.ssubscribe(sharded, channel));
        awaitListeners(1, channel);
        spublish(channel, "last");
        assertEquals(null, listening.end());
    }

    @Test
    void channelsAndPatternsSurviveMovingSlotsAndEndWhenTheirNodeLeaves()
            throws InterruptedException {
        String channel = channelOf(2);
        Plain channels = new Plain();
        Plain patterns = new Plain();
        Listening one = new Listening(() -> client.subscribe(channels, channel));
        Listening other = new Listening(() -> client.psubscribe(patterns, "news:*"));
        RedisCluster.await("they listen", () -> channels.isSubscribed() && patterns.isSubscribed());
        cluster.move(slot(channel), 2, 1);
        client.publish(channel, "from another node");
        RedisCluster.await(
                "both have heard it",
                () -> channels.heard.size() == 1 && patterns.heard.size() == 1);
        assertTrue(one.thread.isAlive() && other.thread.isAlive());
        cluster.giveAll(2, 0);
        cluster.forget(2);
        RedisCluster.await(
                "the map knows",
                () -> {
                    client.set(channel, "x");
                    for (int i = 0; i < 20; i++) {
                        client.get("key:" + i);
                    }
                    return client.topology().nodes().size() == 2;
                });
        NodeDown over = assertInstanceOf(NodeDown.class, one.end());
        assertEquals(cluster.server(2).node(), over.getNode());
        patterns.punsubscribe();
        Throwable end = other.end(); // That node may be the one, too.
        assertTrue(end == null || end instanceof NodeDown, String.valueOf(end));
    }
}
