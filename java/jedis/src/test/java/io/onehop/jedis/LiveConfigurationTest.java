package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The configuration of clients changes while they are used. Files and nodes are real. */
class LiveConfigurationTest {
    @TempDir private Path folder;
    private final Log log = new Log();

    private static String value(String key) {
        return "value of " + key;
    }

    private static String text(Stream<RedisServer> servers, String... directives) {
        return Nodes.configOf(servers.map(RedisServer::server), directives);
    }

    private Path file() {
        return folder.resolve("nutcracker.yml");
    }

    /** Puts another file in place of the file, as careful editors do, or overwrites it. */
    private void write(boolean isReplaced, String text) {
        try {
            if (isReplaced) {
                Files.move(
                        Files.writeString(folder.resolve("beside"), text),
                        file(),
                        StandardCopyOption.ATOMIC_MOVE);
            } else {
                Files.writeString(file(), text);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private OneHopClient client(Consumer<TopologyChange> listener) {
        return OneHopClient.builder().config(file()).pool("alpha").onChange(listener).build();
    }

    /* ---- Under load ---- */

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void noValueIsWrongWhileTheFileChangesAHundredTimesASecondAndHalfOfTheTextsAreGarbage()
            throws Exception {
        String[] keys = Nodes.keys(500);
        try (Nodes nodes = Nodes.start(4)) {
            // All nodes have all keys, so the value does not depend on the topology.
            for (RedisServer server : nodes.servers()) {
                server.ask(jedis -> jedis.mset(Nodes.pairs(key -> value(key), keys)));
            }
            List<RedisServer> all = nodes.servers();
            List<String> good =
                    List.of(
                            text(all.stream(), "timeout: 30000", "pool_size: 4"),
                            text(all.stream().limit(2), "timeout: 30000"),
                            text(all.stream().skip(1), "timeout: 20000", "hash: md5"),
                            text(all.stream(), "timeout: 30000", "distribution: modula"));
            write(true, good.get(0));
            Queue<TopologyChange> changes = new ConcurrentLinkedQueue<>();
            AtomicLong values = new AtomicLong();
            long begin = System.nanoTime();
            try (OneHopClient redis = client(changes::add)) {
                load(redis, keys, values, () -> writer(good, changes));
                long seconds = (System.nanoTime() - begin) / 1_000_000_000;
                assertTrue(
                        changes.size() <= seconds + 1,
                        changes.size() + " switches in " + seconds + " seconds");
                write(true, text(all.stream().limit(1)));
                assertTrue(Callers.holdsSoon(() -> redis.topology().nodes().size() == 1));
                Inspected.assertNothingLeased(redis);
                for (RedisServer dropped : all.subList(1, 4)) {
                    assertTrue(
                            Callers.holdsSoon(() -> dropped.clients() == 0),
                            "idle connections to " + dropped.node());
                }
            }
            assertTrue(values.get() > 10_000, "values: " + values);
            assertTopologiesAreOf(good, changes);
        }
    }

    /**
     * No topology mixes two versions of the file: each is of one of these texts, or of the text
     * that was written last.
     */
    private void assertTopologiesAreOf(List<String> good, Queue<TopologyChange> changes)
            throws Exception {
        Set<String> known = new HashSet<>();
        for (String text : good) {
            ConfigSource source = new ConfigSource(text, "alpha", 0);
            known.add(PoolTopology.of(source.pool(source.bytes())).fingerprint());
        }
        List<TopologyChange> during =
                changes.stream().filter(change -> change.after().nodes().size() > 1).toList();
        assertFalse(during.isEmpty());
        for (TopologyChange change : during) {
            assertTrue(
                    known.contains(change.after().fingerprint()),
                    change.after().nodes().toString());
        }
    }

    /** Writes a hundred versions a second, until the client has adopted enough of them. */
    private void writer(List<String> good, Queue<TopologyChange> changes) {
        Random random = new Random(1);
        List<String> bad =
                List.of(
                        "",
                        "rubbish",
                        good.get(0).substring(0, 60),
                        good.get(0).replace("redis: true", "redis: maybe"));
        for (int i = 0; i < 400 || changes.size() < 3 && i < 6000; i++) {
            List<String> texts = random.nextBoolean() ? good : bad;
            write(random.nextBoolean(), texts.get(random.nextInt(texts.size())));
            Processes.pause(10);
        }
    }

    /** While the job runs, many threads read by single commands, batches and transactions. */
    private static void load(OneHopClient redis, String[] keys, AtomicLong values, Runnable job)
            throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        Thread worker =
                new Thread(
                        () -> {
                            try {
                                job.run();
                            } finally {
                                isOver.set(true);
                            }
                        });
        worker.start();
        Callers.inThreads(
                8,
                number -> {
                    Random random = new Random(number);
                    while (!isOver.get()) {
                        List<String> wanted =
                                random.ints(8, 0, keys.length).mapToObj(n -> keys[n]).toList();
                        switch (random.nextInt(4)) {
                            case 0 ->
                                    wanted.forEach(key -> assertEquals(value(key), redis.get(key)));
                            case 1 ->
                                    assertEquals(
                                            wanted.stream()
                                                    .map(LiveConfigurationTest::value)
                                                    .toList(),
                                            redis.mget(wanted.toArray(String[]::new)));
                            case 2 -> pipeline(redis, wanted, random);
                            default -> transaction(redis, wanted.get(0), random);
                        }
                        values.addAndGet(wanted.size());
                    }
                });
        worker.join();
    }

    private static void pipeline(OneHopClient redis, List<String> wanted, Random random) {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            List<Response<String>> replies = wanted.stream().map(pipeline::get).toList();
            if (random.nextInt(20) == 0) { // Sometimes the file changes during this pause.
                Processes.pause(300);
            }
            pipeline.sync();
            for (int i = 0; i < replies.size(); i++) {
                assertEquals(value(wanted.get(i)), replies.get(i).get());
            }
        }
    }

    private static void transaction(OneHopClient redis, String key, Random random) {
        try (AbstractTransaction transaction = redis.transaction(false)) {
            transaction.watch(key);
            if (random.nextInt(20) == 0) {
                Processes.pause(300);
            }
            transaction.multi();
            transaction.get(key);
            transaction.strlen(key);
            assertEquals(List.of(value(key), (long) value(key).length()), transaction.exec());
        }
    }

    /* ---- The thread ---- */

    private static long refreshers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("onehop-config"))
                .count();
    }

    @Test
    void closeEndsTheThreadThatFollowsTheFileAndAClientOfATextHasNoSuchThread() {
        long before = refreshers();
        String text = Nodes.configOf(Stream.of("127.0.0.1:1:1"));
        try (OneHopClient redis = Nodes.clientOf(text)) {
            assertEquals(1, redis.topology().nodes().size());
            assertEquals(before, refreshers());
        }
        write(true, text);
        OneHopClient redis = client(change -> {});
        assertEquals(before + 1, refreshers());
        redis.close();
        assertTrue(Callers.holdsSoon(() -> refreshers() == before));
    }

    /* ---- Subscriptions ---- */

    @Test
    void aSubscriptionEndsOnlyIfAChangePlacesItsChannelsOnOtherNodes() throws Exception {
        try (Nodes nodes = Nodes.start(2)) {
            write(true, text(nodes.servers().stream(), "hash: md5"));
            try (OneHopClient redis = client(change -> {})) {
                String channel = Nodes.keyOn(redis, nodes.servers().get(0).node());
                Queue<String> heard = new ConcurrentLinkedQueue<>();
                JedisPubSub subscriber =
                        new JedisPubSub() {
                            @Override
                            public void onMessage(String from, String message) {
                                heard.add(message);
                            }
                        };
                Callers.Running listening =
                        new Callers.Running(() -> redis.subscribe(subscriber, channel));
                assertTrue(
                        Callers.holdsSoon(
                                () -> redis.publish(channel, "one") == 1 && heard.contains("one")));
                write(true, text(nodes.servers().stream().limit(1), "hash: md5"));
                assertTrue(Callers.holdsSoon(() -> redis.topology().nodes().size() == 1));
                assertEquals(1, redis.publish(channel, "two"));
                assertTrue(Callers.holdsSoon(() -> heard.contains("two")));
                write(true, text(nodes.servers().stream().skip(1)));
                NodeDown end = assertInstanceOf(NodeDown.class, listening.end());
                String message =
                        "The configuration changed: "
                                + channel
                                + " is now published on other nodes as well, node "
                                + nodes.servers().get(0).node();
                assertBegins(message, end);
                assertEquals(nodes.servers().get(0).node(), end.getNode());
                assertTrue(Callers.holdsSoon(() -> nodes.servers().get(0).clients() == 0));
            }
        }
    }
}
