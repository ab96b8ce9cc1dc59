package io.onehop.jedis;

import static io.onehop.jedis.Callers.holdsSoon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.SetParams;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Subscriptions while one of their nodes is dead, and after it is back. */
class LostNodesTest {
    private static final String EXPIRED = "__keyevent@0__:expired";
    private static final String[] NOTIFYING = {"notify-keyspace-events", "KEx"};

    /** Keeps the messages that it receives, and what it is told about missing channels. */
    private static final class Hearing extends JedisPubSub implements ChannelsListener {
        final List<String> heard = new CopyOnWriteArrayList<>();
        final List<String> told = new CopyOnWriteArrayList<>();
        private Callers.Running running;

        Hearing listen(Runnable subscription) {
            running = new Callers.Running(subscription);
            return this;
        }

        @Override
        public void onMessage(String channel, String message) {
            heard.add(channel + " " + message);
        }

        @Override
        public void onPMessage(String pattern, String channel, String message) {
            heard.add(channel + " " + message);
        }

        @Override
        public void onMissing(String node, List<String> channels, OneHopException why) {
            assertEquals(node, why.getNode());
            told.add("missing " + node + " " + channels);
        }

        @Override
        public void onBack(String node, List<String> channels) {
            told.add("back " + node + " " + channels);
        }

        void awaits(int subscribed) {
            assertTrue(
                    holdsSoon(() -> getSubscribedChannels() == subscribed || thrown() != null),
                    "the subscription has not begun");
            assertEquals(null, thrown());
        }

        void awaitsTold(String... news) {
            assertTrue(holdsSoon(() -> told.containsAll(List.of(news))), told + " " + thrown());
        }

        void awaitsHeard(int count) {
            assertTrue(holdsSoon(() -> heard.size() >= count), heard.size() + " " + thrown());
            assertEquals(count, Set.copyOf(heard).size());
        }

        private Throwable thrown() {
            return running.thrown();
        }

        Throwable end() throws InterruptedException {
            return running.end();
        }
    }

    private static void publish(OneHopClient client, List<String> channels, String text) {
        for (String channel : channels) {
            for (int i = 0; i < 10; i++) {
                client.publish(channel, text + i);
            }
        }
    }

    private static void expire(OneHopClient client, List<String> tags) {
        for (String tag : tags) {
            for (int i = 0; i < 10; i++) {
                client.set("{" + tag + "}" + i, "value", SetParams.setParams().px(1));
            }
        }
    }

    /** Waits until calls to the nodes of these channels succeed again. */
    private static void awaitUp(OneHopClient client, List<String> channels) {
        for (String channel : channels) {
            assertTrue(
                    holdsSoon(
                            () -> {
                                try {
                                    return client.exists(channel) || true;
                                } catch (JedisException resting) {
                                    return false;
                                }
                            }));
        }
    }

    @Test
    void channelsOfLivingNodesGoOnAndChannelsOfADeadNodeComeBackWithIt()
            throws InterruptedException {
        List<RedisServer> servers =
                IntStream.range(0, 3).mapToObj(i -> RedisServer.start(NOTIFYING)).toList();
        try (OneHopClient client =
                Nodes.clientOf(servers.stream().map(RedisServer::server), "hash_tag: \"{}\"")) {
            List<String> channels =
                    servers.stream().map(server -> Nodes.keyOn(client, server.node())).toList();
            List<String> living = channels.subList(0, 2);
            RedisServer dead = servers.get(2);
            dead.kill();
            String[] all =
                    Stream.concat(channels.stream(), Stream.of(EXPIRED)).toArray(String[]::new);
            Hearing hearing = new Hearing();
            hearing.listen(() -> client.subscribe(hearing, all)).awaits(4);
            String missing = dead.node() + " [" + channels.get(2) + ", " + EXPIRED + "]";
            hearing.awaitsTold("missing " + missing);
            publish(client, living, "while it is dead ");
            expire(client, living);
            hearing.awaitsHeard(40);
            dead.restart();
            hearing.awaitsTold("back " + missing);
            awaitUp(client, channels);
            publish(client, channels, "after it is back ");
            hearing.awaitsHeard(70);
            hearing.heard.clear();
            expire(client, channels);
            hearing.awaitsHeard(30);
            hearing.unsubscribe();
            assertEquals(null, hearing.end());
            assertEquals(2, hearing.told.size());
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    @Test
    void aChannelThatIsSubscribedWhileItsNodeIsDeadIsHeardWhenTheNodeIsBack()
            throws InterruptedException {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient client = nodes.client()) {
            RedisServer dead = nodes.servers().get(1);
            String first = Nodes.keyOn(client, nodes.servers().get(0).node());
            List<String> late = Nodes.keysOn(client, dead.node()).limit(3).toList();
            Hearing hearing = new Hearing();
            dead.kill();
            hearing.listen(() -> client.subscribe(hearing, first, late.get(0))).awaits(2);
            hearing.subscribe(late.get(1), late.get(2));
            hearing.awaits(4);
            hearing.unsubscribe(late.get(1));
            hearing.awaits(3);
            dead.restart();
            hearing.awaitsTold(
                    "back " + dead.node() + " [" + late.get(0) + ", " + late.get(2) + "]");
            awaitUp(client, late);
            publish(client, late, "");
            publish(client, List.of(first), "");
            hearing.awaitsHeard(30);
            hearing.unsubscribe();
            assertEquals(null, hearing.end());
            assertTrue(
                    hearing.told.contains("missing " + dead.node() + " [" + late.get(2) + "]"),
                    hearing.told.toString());
        }
    }

    @Test
    void aSubscriptionEndsWhenNoNodeIsLeft() throws InterruptedException {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient client = nodes.client()) {
            Hearing hearing = new Hearing();
            hearing.listen(() -> client.psubscribe(hearing, "*")).awaits(1);
            RedisServer first = nodes.servers().get(1);
            first.kill();
            hearing.awaitsTold("missing " + first.node() + " [*]");
            nodes.servers().get(0).kill();
            assertEquals(first.node(), assertInstanceOf(NodeDown.class, hearing.end()).getNode());
        }
    }

    @Test
    void aLivingNodeOfAClusterTakesOverTheChannelsOfADeadNode() throws InterruptedException {
        try (RedisCluster cluster = RedisCluster.start(3, false, NOTIFYING);
                OneHopClient client = cluster.client()) {
            List<String> channels =
                    IntStream.range(0, 3)
                            .mapToObj(RedisClusterSubscriptionTest::channelOf)
                            .toList();
            client.get(channels.get(0));
            RedisServer dead = cluster.server(2);
            dead.kill();
            Hearing plain = new Hearing();
            Hearing patterns = new Hearing();
            Hearing events = new Hearing();
            plain.listen(() -> client.subscribe(plain, channels.get(2))).awaits(1);
            patterns.listen(() -> client.psubscribe(patterns, "news:*")).awaits(1);
            events.listen(() -> client.subscribe(events, EXPIRED)).awaits(1);
            plain.awaitsTold("missing " + dead.node() + " [" + channels.get(2) + "]");
            events.awaitsTold("missing " + dead.node() + " [" + EXPIRED + "]");
            assertTrue(
                    holdsSoon(
                            () ->
                                    plain.told.stream()
                                            .anyMatch(news -> news.startsWith("back 127.0.0.1:"))));
            publish(client, channels.subList(0, 2), "published on a living node ");
            patterns.awaitsHeard(20);
            expire(client, channels.subList(0, 2));
            events.awaitsHeard(20);
            for (int i = 0; i < 10; i++) {
                cluster.server(0).jedis().publish(channels.get(2), "passed on " + i);
            }
            plain.awaitsHeard(10);
            dead.restart();
            events.awaitsTold("back " + dead.node() + " [" + EXPIRED + "]");
            awaitUp(client, channels);
            events.heard.clear();
            expire(client, channels);
            events.awaitsHeard(30);
            plain.unsubscribe();
            patterns.punsubscribe();
            events.unsubscribe();
            assertEquals(null, plain.end());
            assertEquals(null, patterns.end());
            assertEquals(null, events.end());
        }
    }
}
