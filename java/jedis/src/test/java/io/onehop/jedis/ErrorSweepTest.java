package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.ErringLoader;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.WatchedMasters;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * An Error in any call of any thread of a client: the thread goes on, or the next call begins
 * another one.
 *
 * <p>Each thread of these clients meets an Error at another of its calls ({@link ErringLoader}).
 * {@code -Donehop.test.errors=400} makes 400 clients, so that nearly every call is met; the usual
 * number takes samples.
 */
class ErrorSweepTest {
    private static final int CLIENTS = Integer.getInteger("onehop.test.errors", 16);
    private static final int CALLS = 400; // A thread has hardly more of them in one turn.

    @TempDir private Path folder;

    private Path write(String config) throws IOException {
        Path beside = Files.writeString(folder.resolve("beside"), config);
        return Files.move(
                beside, folder.resolve("onehop.yml"), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Clients whose classes are loaded so that their calls may fail. */
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

    /** Each client hears the channel, once. */
    private static void awaitListeners(Jedis publisher, String channel) {
        long heard = -1;
        for (int i = 0; i < 3000 && heard != CLIENTS; i++) {
            heard = publisher.publish(channel, "hello");
            Processes.pause(10);
        }
        assertEquals(CLIENTS, heard, "after " + ErringLoader.thrown());
    }

    /** All clients come to meet these conditions, and nothing is left of them in the end. */
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
    void subscriptionsComeBackNamesAreLookedUpAndAFileIsFollowed() throws Exception {
        int port = Processes.freePort();
        try (RedisServer well = RedisServer.start()) {
            Stream<String> servers =
                    Stream.of("localhost:" + well.port() + ":1 well", "127.0.0.1:" + port + ":1 d");
            String config = Nodes.configOf(servers, "timeout: 5000");
            String here;
            String there;
            try (OneHopClient placing = Nodes.clientOf(config)) {
                here = Nodes.keyOn(placing.topology(), "well");
                there = Nodes.keyOn(placing.topology(), "d");
            }
            UnaryOperator<String> clients = clients(config, here, there);
            try (RedisServer dead = RedisServer.startOn(port);
                    Jedis publisher = dead.jedis()) {
                awaitListeners(publisher, there);
                meet(clients, "heard hello");
                write(config.replace("5000", "4000"));
                meet(clients, "timeout 4000");
                end(clients);
            }
        }
    }

    @Test
    void aMasterIsFollowed() throws Exception {
        try (WatchedMasters masters = WatchedMasters.start(1);
                Jedis admin = masters.master(0).jedis()) {
            admin.set("key", "value");
            UnaryOperator<String> clients = clients(masters.config("timeout: 2000"));
            meet(clients, "value value");
            masters.failOver(0);
            meet(clients, "at " + masters.replica(0).node(), "value value");
            end(clients);
        }
    }
}
