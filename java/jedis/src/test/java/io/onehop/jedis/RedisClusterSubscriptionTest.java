package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.Callers.Running;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.JedisShardedPubSub;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.params.SetParams;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/** Subscriptions on a real Redis Cluster whose slots move and whose nodes leave. */
class RedisClusterSubscriptionTest {
    private RedisCluster cluster;
    private OneHopClient client;

    @BeforeEach
    void start() {
        cluster = RedisCluster.start(3, false);
        client = cluster.client();
    }

    @AfterEach
    void stop() {
        client.close();
        cluster.close();
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

        void awaits(int count) {
            RedisCluster.await("messages heard: " + count, () -> heard.size() >= count);
        }
    }

    static String channelOf(int server) {
        return IntStream.range(0, 100_000)
                .mapToObj(i -> "news:" + i)
                .filter(channel -> RedisCluster.slot(channel) * 3 / 16384 == server)
                .findFirst()
                .orElseThrow();
    }

    private long spublish(String channel, String message) {
        CommandArguments arguments =
                new CommandArguments(Command.SPUBLISH).key(channel).add(message);
        return client.executeCommand(new CommandObject<>(arguments, BuilderFactory.LONG));
    }

    private void awaitListeners(int server, String channel) {
        RedisCluster.await(
                "there is a subscriber",
                () ->
                        ((List<?>)
                                        cluster.server(server)
                                                .ask(
                                                        jedis ->
                                                                jedis.sendCommand(
                                                                        Command.PUBSUB,
                                                                        "SHARDNUMSUB",
                                                                        channel)))
                                .contains(1L));
    }

    @Test
    void aShardSubscriptionEndsWhenItsSlotMovesAndTheNextOneUsesTheNewNode()
            throws InterruptedException {
        String channel = channelOf(0);
        Sharded first = new Sharded();
        Running listening = new Running(() -> client.ssubscribe(first, channel));
        awaitListeners(0, channel);
        assertEquals(1, spublish(channel, "before"));
        RedisCluster.await("the message was heard", () -> first.heard.contains("before"));
        cluster.move(RedisCluster.slot(channel), 0, 1);
        NodeDown over = assertInstanceOf(NodeDown.class, listening.end());
        assertSays("subscribe again", over);
        assertEquals(cluster.server(0).node(), over.getNode());
        RedisCluster.await(
                "the map has the change",
                () ->
                        spublish(channel, "no subscriber") == 0
                                && client.topology()
                                        .locate(channel)
                                        .name()
                                        .equals(cluster.server(1).node()));
        Sharded second = new Sharded();
        Running again = new Running(() -> client.ssubscribe(second, channel));
        awaitListeners(1, channel);
        spublish(channel, "last");
        assertEquals(null, again.end());
        assertEquals(List.of("last"), second.heard);
    }

    @Test
    void aShardSubscriptionWithAStaleMapIsRefusedOnceAndTheMapIsRefreshed()
            throws InterruptedException {
        String channel = channelOf(0);
        client.get(channel);
        cluster.move(RedisCluster.slot(channel), 0, 1);
        NodeDown refused =
                assertInstanceOf(
                        NodeDown.class,
                        new Running(() -> client.ssubscribe(new Sharded(), channel)).end());
        assertSays("The cluster cannot serve this now: it answered MOVED ", refused);
        Sharded sharded = new Sharded();
        Running listening = new Running(() -> client.ssubscribe(sharded, channel));
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
        Running one = new Running(() -> client.subscribe(channels, channel));
        Running other = new Running(() -> client.psubscribe(patterns, "news:*"));
        RedisCluster.await("both listen", () -> channels.isSubscribed() && patterns.isSubscribed());
        cluster.move(RedisCluster.slot(channel), 2, 1);
        client.publish(channel, "from another node");
        RedisCluster.await(
                "both have heard the message",
                () -> channels.heard.size() == 1 && patterns.heard.size() == 1);
        assertTrue(one.thread.isAlive() && other.thread.isAlive());
        cluster.giveAll(2, 0);
        cluster.forget(2);
        RedisCluster.await(
                "the map has the change",
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
        // The patterns may have been subscribed on the node that left, too.
        Throwable end = other.end();
        assertTrue(end == null || end instanceof NodeDown, String.valueOf(end));
    }

    /* ---- Notifications of keys, which a node publishes on itself only ---- */

    /** Sets ten keys on each of three masters; they expire immediately. */
    private void expire() {
        for (RedisServer server : cluster.servers()) {
            server.ask(jedis -> jedis.configSet("notify-keyspace-events", "KEx"));
        }
        for (int master = 0; master < 3; master++) {
            String tag = channelOf(master);
            for (int i = 0; i < 10; i++) {
                client.set("{" + tag + "}:" + i, "value", SetParams.setParams().px(1));
            }
        }
    }

    @Test
    void notificationsOfEveryMasterAndOtherMessagesComeOnlyOnce() throws InterruptedException {
        Plain channels = new Plain();
        Plain events = new Plain();
        Plain everything = new Plain();
        List<Running> listening =
                List.of(
                        new Running(
                                () -> client.subscribe(channels, "__keyevent@0__:expired", "news")),
                        new Running(() -> client.psubscribe(events, "__keyevent@*")),
                        new Running(() -> client.psubscribe(everything, "*")));
        RedisCluster.await(
                "all three listen",
                () ->
                        channels.getSubscribedChannels() == 2
                                && events.isSubscribed()
                                && everything.isSubscribed());
        expire();
        channels.awaits(30);
        events.awaits(30);
        everything.awaits(60); // For each key also the notification that names it.
        client.publish("news", "hello");
        channels.awaits(31);
        everything.awaits(61);
        // A second copy of a message would have come by now: nodes answer in order.
        client.publish("news", "goodbye");
        channels.awaits(32);
        everything.awaits(62);
        assertEquals(32, Set.copyOf(channels.heard).size());
        assertEquals(List.of(32, 30, 62), sizes(channels, events, everything));
        channels.unsubscribe();
        events.punsubscribe();
        everything.punsubscribe();
        for (Running each : listening) {
            assertEquals(null, each.end());
        }
    }

    private static List<Integer> sizes(Plain... subscribers) {
        return Arrays.stream(subscribers).map(each -> each.heard.size()).toList();
    }

    @Test
    void notificationsFollowTheMapToNewMasters() throws InterruptedException {
        Plain events = new Plain();
        Running listening = new Running(() -> client.subscribe(events, "__keyevent@0__:expired"));
        RedisCluster.await("the subscription has begun", events::isSubscribed);
        expire();
        events.awaits(30);
        cluster.add();
        cluster.awaitKnown(3);
        cluster.giveAll(2, 3);
        RedisCluster.await(
                "the newest master has a subscriber and the one without slots has none",
                () -> {
                    // A redirect makes the client refresh its map.
                    client.set(channelOf(2), "it asks for the map");
                    return subscribers(3) == 1 && subscribers(2) == 0;
                });
        expire();
        events.awaits(60);
        assertEquals(60, events.heard.size());
        events.unsubscribe();
        assertEquals(null, listening.end());
    }

    private long subscribers(int server) {
        return cluster.server(server)
                .ask(jedis -> jedis.pubsubNumSub("__keyevent@0__:expired"))
                .get("__keyevent@0__:expired");
    }
}
