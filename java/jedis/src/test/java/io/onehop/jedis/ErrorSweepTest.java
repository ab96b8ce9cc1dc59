package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.internal.snapshot.Snapshot;
import io.onehop.jedis.lab.ErringLoader;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.WatchedMasters;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * An Error is thrown at any call in any thread of a client. Then either the thread goes on, or the
 * client's next call starts another thread.
 *
 * <p>There are many clients, and in each of them an Error is thrown at another call of its threads
 * ({@link ErringLoader}). With {@code -Donehop.test.errors=400} there are 400 clients, so that
 * nearly every call throws once; fewer clients take samples.
 */
class ErrorSweepTest {
    private static final int CLIENTS = Integer.getInteger("onehop.test.errors", 16);
    private static final int CALLS = 400; // In one turn a thread hardly makes more calls.

    @TempDir private Path folder;

    private Path write(String config) throws IOException {
        Path beside = Files.writeString(folder.resolve("beside"), config);
        return Files.move(
                beside, folder.resolve("onehop.yml"), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Clients whose classes are loaded by a loader that makes calls in them throw Errors. */
    private UnaryOperator<String> clients(String config, String... channels) throws Exception {
        ClassLoader loader = new ErringLoader(Math.max(1, CALLS / CLIENTS));
        Thread.currentThread().setContextClassLoader(loader);
        try {
            Constructor<?> made =
                    loader.loadClass(SweptClients.class.getName())
                            .getDeclaredConstructor(Path.class, int.class, List.class);
            made.setAccessible(true);
            @SuppressWarnings("unchecked")
            UnaryOperator<String> clients =
                    (UnaryOperator<String>)
                            made.newInstance(write(config), CLIENTS, List.of(channels));
            return clients;
        } finally {
            Thread.currentThread().setContextClassLoader(getClass().getClassLoader());
        }
    }

    /** Waits until each client has subscribed to the channel, exactly once. */
    private static void awaitListeners(Jedis publisher, String channel) {
        long heard = -1;
        for (int i = 0; i < 3000 && heard != CLIENTS; i++) {
            heard = publisher.publish(channel, "hello");
            Processes.pause(10);
        }
        assertEquals(CLIENTS, heard, "after " + ErringLoader.thrown());
    }

    /** Waits until all clients meet each of these conditions. */
    private static void meet(UnaryOperator<String> clients, String... conditions) {
        for (String condition : conditions) {
            assertEquals("all", clients.apply(condition), condition + ErringLoader.thrown());
        }
    }

    private static void end(UnaryOperator<String> clients) {
        meet(clients, "close");
        assertTrue(ErringLoader.thrown().size() > CLIENTS / 2, ErringLoader.thrown().toString());
    }

    @Test
    void afterErrorsSubscriptionsComeBackNamesAreLookedUpAndAFileIsFollowed() throws Exception {
        int port = Processes.freePort();
        try (RedisServer well = RedisServer.start()) {
            Stream<String> servers =
                    Stream.of("localhost:" + well.port() + ":1 well", "127.0.0.1:" + port + ":1 d");
            String config = Nodes.configOf(servers);
            String here;
            String there;
            try (OneHopClient placing = Nodes.clientOf(config)) {
                here = Nodes.keyOn(placing, "well");
                there = Nodes.keyOn(placing, "d");
            }
            UnaryOperator<String> clients = clients(config, here, there);
            try (RedisServer dead = RedisServer.startOn(port);
                    Jedis publisher = dead.jedis()) {
                awaitListeners(publisher, there);
                meet(clients, "heard hello");
                write(config.replace("30000", "40000"));
                meet(clients, "timeout 40000");
                end(clients);
            }
        }
    }

    @Test
    void afterErrorsAMasterIsFollowed() throws Exception {
        try (WatchedMasters masters = WatchedMasters.start(1);
                Jedis admin = masters.master(0).jedis()) {
            admin.set("key", "value");
            UnaryOperator<String> clients = clients(masters.config("timeout: 5000"));
            meet(clients, "value value");
            masters.failOver(0);
            meet(clients, "at " + masters.replica(0).node(), "value value");
            end(clients);
        }
    }

    /**
     * Many clients of one configuration. In each of their threads an Error is thrown.
     *
     * <p>{@code apply} takes a condition or {@code close}. It returns {@code all}, or which clients
     * do not meet the condition within 30 seconds, in which they make calls. This class has another
     * class loader than the test.
     */
    static final class SweptClients implements UnaryOperator<String> {
        private static final int POLL_MS = 20;
        private static final int POLLS_MAX = 30_000 / POLL_MS;

        private final List<Swept> all;

        /** A client, and what its subscription has heard. */
        private record Swept(OneHopClient redis, Set<String> heard) {
            /** Makes the next call, which may start a thread again. */
            String value() {
                try {
                    return redis.get("key");
                } catch (RuntimeException | Error failed) {
                    return null;
                }
            }
        }

        /** {@code channels}: what each client subscribes to. */
        SweptClients(Path file, int count, List<String> channels) {
            all = IntStream.range(0, count).mapToObj(i -> client(file, channels)).toList();
        }

        private static Swept client(Path file, List<String> channels) {
            // Not with the classes of the lab, which another loader has loaded.
            OneHopClient redis = OneHopClient.builder().config(file).pool("alpha").build();
            Swept swept = new Swept(redis, ConcurrentHashMap.newKeySet());
            if (!channels.isEmpty()) {
                Thread thread = new Thread(() -> subscribe(swept, channels), "subscribing");
                thread.setDaemon(true);
                thread.start();
            }
            swept.value();
            return swept;
        }

        private static void subscribe(Swept swept, List<String> channels) {
            JedisPubSub listener =
                    new JedisPubSub() {
                        @Override
                        public void onMessage(String from, String message) {
                            swept.heard().add(message);
                        }
                    };
            swept.redis().subscribe(listener, channels.toArray(String[]::new));
        }

        @Override
        public String apply(String line) {
            String[] words = line.split(" ");
            return words[0].equals("close") ? closed() : told(condition(words[0], words[1]));
        }

        private static Predicate<Swept> condition(String what, String value) {
            return switch (what) {
                case "timeout" -> it -> value.equals("" + pool(it).pool().timeoutMs());
                case "at" -> it -> value.equals(pool(it).topology().nodes().get(0).address());
                case "heard" -> it -> it.heard().contains(value);
                default -> it -> value.equals(it.value());
            };
        }

        private static Snapshot pool(Swept it) {
            return it.redis().snapshots().newest();
        }

        private String told(Predicate<Swept> condition) {
            List<Swept> stuck = all;
            for (int i = 0; i < POLLS_MAX && !stuck.isEmpty(); i++) {
                stuck = stuck.stream().filter(each -> !condition.test(each)).toList();
                stuck.forEach(Swept::value);
                pause(stuck.isEmpty());
            }
            return stuck.isEmpty() ? "all" : "not " + stuck.stream().map(all::indexOf).toList();
        }

        /** Which threads of these clients are left after all were closed. */
        private String closed() {
            all.forEach(each -> each.redis().close());
            String left = "?";
            for (int i = 0; i < POLLS_MAX && !left.isEmpty(); i++) {
                left =
                        Thread.getAllStackTraces().entrySet().stream()
                                .filter(each -> each.getKey().getName().startsWith("onehop-"))
                                .filter(each -> isOurs(each.getKey()))
                                .map(
                                        each ->
                                                each.getKey().getName()
                                                        + " "
                                                        + List.of(each.getValue()))
                                .collect(Collectors.joining(", "));
                pause(left.isEmpty());
            }
            return left.isEmpty() ? "all" : "not " + left;
        }

        /** Other tests have threads of these names, too. */
        private static boolean isOurs(Thread thread) {
            return thread.getContextClassLoader() == SweptClients.class.getClassLoader();
        }

        private static void pause(boolean isOver) {
            try {
                Thread.sleep(isOver ? 0 : POLL_MS);
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }
    }
}
