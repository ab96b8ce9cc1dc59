package io.onehop.jedis;

import static io.onehop.jedis.Callers.holdsSoon;
import static io.onehop.jedis.Inspected.assertNothingLeased;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.Callers.Running;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.BinaryJedisShardedPubSub;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.JedisShardedPubSub;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ClientKillParams;
import redis.clients.jedis.params.SetParams;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * Subscriptions over several nodes with Jedis' own JedisPubSub. The listener receives what one
 * server would send, in the same order.
 */
class SubscriptionTest {
    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.UTF_8);

    @RegisterExtension static final SharedNodes SHARED = SharedNodes.start(4);
    private static final Nodes nodes = SHARED.nodes();
    private static final OneHopClient redis = SHARED.client();

    @AfterEach
    void everyConnectionIsClosed() {
        // A connection that was subscribed is never used again.
        for (RedisServer server : nodes.servers()) {
            assertTrue(holdsSoon(() -> server.clients() == 0));
        }
    }

    /** A channel of every node. */
    private static List<String> channels() {
        return nodes.servers().stream().map(server -> Nodes.keyOn(redis, server.node())).toList();
    }

    /** Publishes on the channel's node, without this client. */
    private static void publish(String channel, String message) {
        try (Jedis jedis = nodes.jedis(redis.topology().locate(channel).name())) {
            assertEquals(1, jedis.publish(channel, message));
        }
    }

    /* ---- Channels ---- */

    @Test
    void eachMessageOfEachChannelComesOnceAndSubscriptionsAreCountedOverAllNodes()
            throws InterruptedException {
        List<String> channels = channels();
        Collector collector = new Collector();
        Running listening =
                new Running(() -> redis.subscribe(collector, channels.toArray(String[]::new)));
        collector.awaits(4);
        for (int i = 0; i < 4; i++) {
            assertEquals("subscribe " + channels.get(i) + " " + (i + 1), collector.received.get(i));
        }
        assertEquals(4, collector.getSubscribedChannels());
        channels.forEach(channel -> publish(channel, "to " + channel));
        collector.awaits(8);
        assertEquals(
                Set.copyOf(
                        channels.stream()
                                .map(channel -> "message " + channel + " to " + channel)
                                .toList()),
                Set.copyOf(collector.received.subList(4, 8)));
        collector.unsubscribe(channels.get(2));
        collector.awaits(9);
        assertEquals("unsubscribe " + channels.get(2) + " 3", collector.received.get(8));
        collector.unsubscribe();
        assertEquals(null, listening.end());
        assertEquals(
                List.of(
                        "unsubscribe " + channels.get(0) + " 2",
                        "unsubscribe " + channels.get(1) + " 1",
                        "unsubscribe " + channels.get(3) + " 0"),
                collector.received.subList(9, 12));
    }

    /** Calls every method of a subscription. One server and four nodes answer alike. */
    private static void script(Collector collector) {
        collector.awaits(3);
        collector.subscribe("b", "c", "key:4", "key:5");
        collector.psubscribe("x*", "y*");
        collector.unsubscribe("a", "c");
        collector.subscribe("a", "a");
        collector.punsubscribe("z*", "y*");
        collector.ping();
        collector.ping("argument");
        collector.unsubscribe("never");
        collector.awaits(3 + 4 + 2 + 2 + 2 + 2 + 2 + 1);
        collector.unsubscribe();
        collector.punsubscribe();
    }

    @Test
    void fourNodesSendWhatOneServerWouldSend() throws InterruptedException {
        Collector one = new Collector();
        Collector four = new Collector();
        try (RedisServer server = RedisServer.start();
                RedisClient single =
                        RedisClient.builder()
                                .hostAndPort("127.0.0.1", server.port())
                                .clientConfig(
                                        DefaultJedisClientConfig.builder()
                                                .protocol(RedisProtocol.RESP2)
                                                .timeoutMillis(30_000)
                                                .build())
                                .build()) {
            Running there = new Running(() -> single.subscribe(one, "a", "key:1", "key:2"));
            Running here = new Running(() -> redis.subscribe(four, "a", "key:1", "key:2"));
            script(one);
            script(four);
            assertEquals(null, there.end());
            assertEquals(null, here.end());
        }
        // A server may confirm in any order that all channels are left.
        int fixed = one.received.size() - 7;
        assertEquals(one.received.subList(0, fixed), four.received.subList(0, fixed));
        assertEquals(one.received.size(), four.received.size());
        assertEquals("punsubscribe x* 0", four.received.get(four.received.size() - 1));
    }

    @Test
    void aThousandMessagesOfEachNodeKeepTheirOrder() throws InterruptedException {
        List<String> channels = channels();
        AtomicInteger[] next =
                Stream.generate(AtomicInteger::new).limit(4).toArray(AtomicInteger[]::new);
        AtomicInteger wrong = new AtomicInteger();
        JedisPubSub counting =
                new JedisPubSub() {
                    @Override
                    public void onMessage(String channel, String message) {
                        int node = channels.indexOf(channel);
                        wrong.addAndGet(
                                Integer.parseInt(message) == next[node].getAndIncrement() ? 0 : 1);
                        if (Stream.of(next).allMatch(each -> each.get() == 1000)) {
                            unsubscribe();
                        }
                    }
                };
        Running listening =
                new Running(() -> redis.subscribe(counting, channels.toArray(String[]::new)));
        assertTrue(holdsSoon(() -> counting.getSubscribedChannels() == 4));
        Callers.inThreads(
                4,
                node -> {
                    try (Jedis jedis =
                            nodes.jedis(redis.topology().locate(channels.get(node)).name())) {
                        for (int i = 0; i < 1000; i++) {
                            jedis.publish(channels.get(node), String.valueOf(i));
                        }
                    }
                });
        assertEquals(null, listening.end());
        assertEquals(0, wrong.get());
    }

    @Test
    void aMessageOfTenMegabytesArrivesWhole() throws InterruptedException {
        String large = "x".repeat(10_000_000);
        AtomicReference<String> received = new AtomicReference<>();
        JedisPubSub once =
                new JedisPubSub() {
                    @Override
                    public void onSubscribe(String channel, int count) {
                        publish(channel, large);
                    }

                    @Override
                    public void onMessage(String channel, String message) {
                        received.set(message);
                        unsubscribe(channel);
                    }
                };
        assertEquals(null, new Running(() -> redis.subscribe(once, "channel")).end());
        assertEquals(large, received.get());
    }

    /* ---- Patterns, bytes, sharded channels ---- */

    @Test
    void aPatternReceivesTheMessagesOfEveryNodeOnce() throws InterruptedException {
        Collector collector = new Collector();
        Running listening = new Running(() -> redis.psubscribe(collector, "key:*", "nothing*"));
        collector.awaits(2);
        assertEquals(List.of("psubscribe key:* 1", "psubscribe nothing* 2"), collector.received);
        Set<String> expected = new HashSet<>();
        for (String channel : channels()) {
            publish(channel, "to " + channel);
            expected.add("pmessage key:* " + channel + " to " + channel);
        }
        collector.awaits(6);
        assertEquals(expected, Set.copyOf(collector.received.subList(2, 6)));
        collector.punsubscribe();
        assertEquals(null, listening.end());
        assertEquals(8, collector.received.size());
    }

    /** Sets ten keys on each node, which expire immediately. Returns what the listener receives. */
    private static List<String> expire(Collector collector) {
        int before = collector.received.size();
        for (RedisServer server : nodes.servers()) {
            try (Jedis jedis = server.jedis()) {
                jedis.configSet("notify-keyspace-events", "KEx");
                Nodes.keysOn(redis, server.node())
                        .limit(10)
                        .forEach(key -> jedis.set(key, "value", SetParams.setParams().px(1)));
            }
        }
        collector.awaits(before + 40);
        return List.copyOf(collector.received.subList(before, collector.received.size()));
    }

    @Test
    void notificationsOfKeysArriveFromEveryNodeOnce() throws InterruptedException {
        Collector collector = new Collector();
        String channel = "__keyevent@0__:expired";
        Running listening = new Running(() -> redis.subscribe(collector, channel, "news"));
        collector.awaits(2);
        assertEquals(
                List.of("subscribe " + channel + " 1", "subscribe news 2"), collector.received);
        assertEquals(40, Set.copyOf(expire(collector)).size());
        collector.unsubscribe(channel);
        collector.awaits(43);
        publish("news", "still heard");
        collector.awaits(44);
        assertEquals(
                List.of("unsubscribe " + channel + " 1", "message news still heard"),
                collector.received.subList(42, 44));
        collector.unsubscribe();
        assertEquals(null, listening.end());
    }

    @Test
    void bytesAreReceivedAsBytes() throws InterruptedException {
        byte[] channel = {0, (byte) 0xff, '\r', '\n'};
        List<byte[]> received = Collections.synchronizedList(new ArrayList<>());
        BinaryJedisPubSub binary =
                new BinaryJedisPubSub() {
                    @Override
                    public void onSubscribe(byte[] entered, int count) {
                        try (Jedis jedis = nodes.jedis(redis.topology().locate(channel).name())) {
                            jedis.publish(entered, HELLO);
                        }
                    }

                    @Override
                    public void onMessage(byte[] from, byte[] message) {
                        received.add(message);
                        unsubscribe(from);
                    }

                    @Override
                    public void onPSubscribe(byte[] pattern, int count) {
                        punsubscribe();
                    }
                };
        assertEquals(null, new Running(() -> redis.subscribe(binary, channel)).end());
        assertEquals(null, new Running(() -> redis.psubscribe(binary, channel)).end());
        assertEquals("hello", new String(received.get(0), StandardCharsets.UTF_8));
    }

    @Test
    void shardedChannelsAreOnTheNodesOfTheirNamesToo() throws InterruptedException {
        List<String> channels = channels();
        List<String> received = Collections.synchronizedList(new ArrayList<>());
        JedisShardedPubSub sharded =
                new JedisShardedPubSub() {
                    @Override
                    public void onSSubscribe(String channel, int count) {
                        try (Jedis jedis = nodes.jedis(redis.topology().locate(channel).name())) {
                            jedis.sendCommand(Command.SPUBLISH, channel, "to " + channel);
                        }
                    }

                    @Override
                    public void onSMessage(String channel, String message) {
                        received.add(message);
                        sunsubscribe(channel);
                    }
                };
        assertEquals(
                null,
                new Running(() -> redis.ssubscribe(sharded, channels.toArray(String[]::new)))
                        .end());
        assertEquals(
                Set.copyOf(channels.stream().map(channel -> "to " + channel).toList()),
                Set.copyOf(received));
        BinaryJedisShardedPubSub binary =
                new BinaryJedisShardedPubSub() {
                    @Override
                    public void onSSubscribe(byte[] channel, int count) {
                        sunsubscribe();
                    }
                };
        assertEquals(null, new Running(() -> redis.ssubscribe(binary, HELLO)).end());
    }

    @Test
    void subscriptionsTakeNoConnectionFromCalls() throws InterruptedException {
        try (OneHopClient client = nodes.client("pool_size: 2")) {
            List<String> channels = channels();
            List<Collector> collectors = Stream.generate(Collector::new).limit(6).toList();
            List<Running> listening =
                    collectors.stream()
                            .map(
                                    each ->
                                            new Running(
                                                    () ->
                                                            client.subscribe(
                                                                    each,
                                                                    channels.toArray(
                                                                            String[]::new))))
                            .toList();
            collectors.forEach(each -> each.awaits(4));
            for (String channel : channels) {
                assertEquals("OK", client.set(channel, "value"));
                assertEquals(
                        0,
                        Inspected.pool(client, client.topology().locate(channel).name())
                                .getNumActive());
                assertEquals(6, client.publish(channel, "hello"));
            }
            collectors.forEach(each -> each.awaits(8));
            collectors.forEach(Collector::unsubscribe);
            for (Running each : listening) {
                assertEquals(null, each.end());
            }
        }
    }

    /* ---- Failures ---- */

    @Test
    void anErrorReplyToASubscriptionIsThrown() {
        JedisDataException refused =
                assertThrows(JedisDataException.class, () -> redis.subscribe(new Collector()));
        assertSays("wrong number of arguments", refused);
    }

    @Test
    void losingTheLastNodeEndsTheSubscriptionAndNamesTheNode() throws InterruptedException {
        Collector collector = new Collector();
        RedisServer lost = nodes.servers().get(2);
        Running listening =
                new Running(() -> redis.subscribe(collector, Nodes.keyOn(redis, lost.node())));
        collector.awaits(1);
        lost.ask(
                jedis ->
                        jedis.clientKill(
                                ClientKillParams.clientKillParams().type(ClientType.PUBSUB)));
        assertEquals(lost.node(), assertInstanceOf(NodeDown.class, listening.end()).getNode());
        assertThrows(JedisException.class, collector::punsubscribe);
    }

    @Test
    void anInterruptEndsTheSubscription() throws InterruptedException {
        Collector collector = new Collector();
        Running listening = new Running(() -> redis.subscribe(collector, "channel"));
        collector.awaits(1);
        listening.thread.interrupt();
        assertSays("interrupted", assertInstanceOf(DeadlineExceeded.class, listening.end()));
    }

    private static void listensTo(
            ScriptedNode.Script script, Class<? extends OneHopException> kind, int timeoutMs) {
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    talk.handshake().command();
                                    script.talk(talk);
                                    talk.awaitClose();
                                });
                OneHopClient client = node.client("timeout: " + timeoutMs)) {
            assertEquals(
                    node.node(),
                    assertThrows(kind, () -> client.subscribe(new Collector(), "a", "b"))
                            .getNode());
            assertNothingLeased(client);
        }
    }

    private static String confirmation(String word, String channel, int count) {
        return "*3\r\n$"
                + word.length()
                + "\r\n"
                + word
                + "\r\n$"
                + channel.length()
                + "\r\n"
                + channel
                + "\r\n:"
                + count
                + "\r\n";
    }

    @Test
    void aMissingConfirmationIsAwaitedOnlyUntilTheDeadline() {
        ScriptedNode.Script one = talk -> talk.send(confirmation("subscribe", "a", 1));
        listensTo(one, DeadlineExceeded.class, 1500);
    }

    @Test
    void aValueThatIsNeitherMessageNorConfirmationIsAViolation() {
        for (String wrong :
                List.of(
                        confirmation("subscribe", "c", 1),
                        "+OK\r\n",
                        "*0\r\n",
                        "*2\r\n:1\r\n:2\r\n",
                        "$-1\r\n",
                        "*3\r\n$9\r\nsubscribe\r\n$-1\r\n:1\r\n",
                        "hello\r\n",
                        ">2\r\n$7\r\nmessage\r\n$1\r\na\r\n")) {
            listensTo(talk -> talk.send(wrong), ProtocolViolation.class, 30_000);
        }
    }

    @Test
    void aMessageFollowsTheConfirmationOfItsPatternHoweverSlowANodeIs()
            throws InterruptedException {
        List<ScriptedNode> both =
                Stream.of(false, true)
                        .map(
                                isSlow ->
                                        ScriptedNode.start(
                                                talk -> {
                                                    talk.handshake().command();
                                                    Processes.pause(isSlow ? 200 : 0);
                                                    talk.send(confirmation("psubscribe", "p*", 1));
                                                    if (!isSlow) {
                                                        talk.send(
                                                                "*4 $8 pmessage $2 p* $2 pa $2 hi "
                                                                        .replace(" ", "\r\n"));
                                                    }
                                                    talk.command();
                                                    talk.send(confirmation("punsubscribe", "p*", 0))
                                                            .awaitClose();
                                                }))
                        .toList();
        try (OneHopClient client = Inspected.clientOf(both.stream())) {
            Collector collector =
                    new Collector() {
                        @Override
                        public void onPMessage(String pattern, String channel, String message) {
                            super.onPMessage(pattern, channel, message);
                            punsubscribe();
                        }
                    };
            assertEquals(null, new Running(() -> client.psubscribe(collector, "p*")).end());
            assertEquals(
                    List.of("psubscribe p* 1", "pmessage p* pa hi", "punsubscribe p* 0"),
                    collector.received);
        } finally {
            both.forEach(ScriptedNode::close);
        }
    }

    @Test
    void aLastConfirmationOfOneNodeDoesNotEndASubscriptionThatBeginsOnAnother()
            throws InterruptedException {
        ScriptedNode.Script slow =
                talk -> {
                    String channel = talk.handshake().command().get(1);
                    Processes.pause(200);
                    talk.send(confirmation("subscribe", channel, 1)).command();
                    talk.send(confirmation("unsubscribe", channel, 0)).awaitClose();
                };
        try (ScriptedNode node = ScriptedNode.start(slow);
                RedisServer quick = RedisServer.start();
                OneHopClient client = Nodes.clientOf(Stream.of(node.server(), quick.server()))) {
            String first = Nodes.keyOn(client, quick.node());
            String second = Nodes.keyOn(client, node.node());
            Collector collector =
                    new Collector() {
                        @Override
                        public void onSubscribe(String channel, int count) {
                            super.onSubscribe(channel, count);
                            if (channel.equals(first)) {
                                subscribe(second);
                            }
                            unsubscribe(channel);
                        }
                    };
            assertEquals(null, new Running(() -> client.subscribe(collector, first)).end());
            assertEquals(
                    List.of(
                            "subscribe " + first + " 1",
                            "subscribe " + second + " 2",
                            "unsubscribe " + first + " 1",
                            "unsubscribe " + second + " 0"),
                    collector.received);
        }
    }

    /** A subscriber that keeps what it receives, in order. */
    static class Collector extends JedisPubSub {
        final List<String> received = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void onMessage(String channel, String message) {
            received.add("message " + channel + " " + message);
        }

        @Override
        public void onPMessage(String pattern, String channel, String message) {
            received.add("pmessage " + pattern + " " + channel + " " + message);
        }

        @Override
        public void onSubscribe(String channel, int count) {
            received.add("subscribe " + channel + " " + count);
        }

        @Override
        public void onUnsubscribe(String channel, int count) {
            received.add("unsubscribe " + channel + " " + count);
        }

        @Override
        public void onPSubscribe(String pattern, int count) {
            received.add("psubscribe " + pattern + " " + count);
        }

        @Override
        public void onPUnsubscribe(String pattern, int count) {
            received.add("punsubscribe " + pattern + " " + count);
        }

        @Override
        public void onPong(String message) {
            received.add("pong " + message);
        }

        void awaits(int count) {
            assertTrue(holdsSoon(() -> received.size() >= count), "only " + received);
        }
    }
}
