package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Certificates;
import io.onehop.jedis.lab.NoSecondTry;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.Relay;
import io.onehop.jedis.lab.ScriptedNode;
import io.onehop.jedis.lab.TlsServer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Response;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import javax.net.ssl.SSLParameters;

/** Nodes that send wrong bytes over TLS, and hosts on the way that change the bytes. */
@Timeout(120)
@ExtendWith(NoSecondTry.class)
final class HostileTlsTest {
    @TempDir static Path folder;

    private static Certificates certificates;

    @BeforeAll
    static void start() {
        certificates = new Certificates(folder);
    }

    /** A client that speaks TLS by the directives. */
    private static OneHopClient client(String server, String... directives) {
        return Nodes.clientOf(
                Stream.of(server),
                Stream.concat(
                                Stream.of(
                                        "tls: true",
                                        "tls_ca_cert_file: " + certificates.certificate("ca")),
                                Stream.of(directives))
                        .toArray(String[]::new));
    }

    /** A client that speaks TLS by a context, for which the JDK has other limits of records. */
    private static OneHopClient clientByContext(String server, String... directives) {
        return Nodes.clientOf(
                OneHopClient.builder().tls(certificates.context()),
                Nodes.configOf(Stream.of(server), directives));
    }

    /** Runs a call. The test fails if the call does not end. */
    private static <T> T ended(Callable<T> call) throws Exception {
        try {
            return Callers.begun(call).get(60, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw (Exception) failed.getCause();
        }
    }

    /* ---- Records that are too large ---- */

    /* The JDK accepts up to 33,093 bytes, more than the protocol allows. */
    private static byte[] recordOf(int size) {
        byte[] record = new byte[5 + size];
        Arrays.fill(record, (byte) 'x');
        record[0] = 23; // Application data.
        record[1] = 3;
        record[2] = 3;
        record[3] = (byte) (size >> 8);
        record[4] = (byte) size;
        return record;
    }

    @ParameterizedTest
    @ValueSource(ints = {16_700, 17_000, 33_000, 33_089, 65_535})
    void aRecordThatIsTooLargeEndsItsConnection(int size) throws Exception {
        inject(size, HostileTlsTest::client);
        inject(size, HostileTlsTest::clientByContext);
    }

    private static void inject(int size, BiFunction<String, String[], OneHopClient> clients)
            throws Exception {
        try (TlsServer server = TlsServer.start(certificates, "node");
                Relay relay = Relay.to(server.port());
                OneHopClient redis =
                        clients.apply(
                                relay.server(), new String[] {"pool_size: 1", "timeout: 30000"})) {
            fillBuffers(redis);
            relay.inject(recordOf(size)); // The connection is idle.
            assertNull(ended(() -> redis.get("missing")));

            fillBuffers(redis);

            long before = server.redis().calls("incr");
            relay.hold(0);
            Thread injector =
                    new Thread(
                            () -> {
                                RedisCluster.await(
                                        "the node has executed INCR",
                                        () -> server.redis().calls("incr") > before);
                                relay.inject(recordOf(size));
                            });
            injector.start();
            NodeDown lost = assertThrows(NodeDown.class, () -> ended(() -> redis.incr("count")));
            assertTrue(lost.mayHaveExecuted(), lost::getMessage);
            assertBegins("The TLS connection broke (", lost);
            injector.join();
            relay.release();
            assertEquals("1", redis.get("count"));
        }
    }

    /** Makes large calls, so that every buffer on the way to the client exists afterwards. */
    private static void fillBuffers(OneHopClient redis) {
        redis.set("large", "x".repeat(200_000));
        try (AbstractPipeline batch = redis.pipelined()) {
            for (int i = 0; i < 40; i++) {
                batch.get("large");
            }
            batch.sync();
        }
    }

    /* ---- Records that have arrived in part ---- */

    /** A node that sends a reply too many over its first connection, when it is told to. */
    private static ScriptedNode.Script lying(CountDownLatch told) {
        return talk -> {
            talk.handshake();
            if (talk.number() == 1) {
                talk.send(talk.command().get(0).equals("WATCH") ? "+OK\r\n" : "$5\r\nfirst\r\n");
                Callers.await(told);
                talk.send("$5\r\nwrong\r\n");
            }
            while (talk.command() != null) {
                talk.send("$5\r\nright\r\n");
            }
        };
    }

    /**
     * Lets the node send the reply too many. Passes on {@code length} bytes, and the rest a moment
     * later.
     */
    private static void passOnInParts(CountDownLatch told, Relay relay, int length) {
        relay.hold(length);
        long end = relay.given() + length;
        told.countDown();
        RedisCluster.await("the part has arrived", () -> relay.given() == end);
        Thread later =
                new Thread(
                        () -> {
                            Processes.pause(50);
                            relay.release();
                        });
        later.setDaemon(true);
        later.start();
    }

    /**
     * The record of the reply has a head of 5 bytes, 11 + 1 bytes of content, and a tag of 16
     * bytes.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 5, 6, 32})
    void aSurplusReplyThatHasArrivedInPartIsNotTheNextReply(int length) {
        CountDownLatch told = new CountDownLatch(1);
        try (ScriptedNode node = ScriptedNode.start(certificates.contextOf("node"), lying(told));
                Relay relay = Relay.to(node.port());
                OneHopClient redis = client(relay.server())) {
            assertEquals("first", redis.get("key"));
            passOnInParts(told, relay, length);
            assertEquals("right", redis.get("key"));
        }
    }

    @Test
    void aTransactionEndsIfASurplusReplyHasArrivedInPart() {
        CountDownLatch told = new CountDownLatch(1);
        try (ScriptedNode node = ScriptedNode.start(certificates.contextOf("node"), lying(told));
                Relay relay = Relay.to(node.port());
                OneHopClient redis = client(relay.server());
                AbstractTransaction transaction = redis.transaction(false)) {
            transaction.watch("key");
            passOnInParts(told, relay, 10);
            transaction.multi();
            transaction.get("key");
            ProtocolViolation surplus = assertThrows(ProtocolViolation.class, transaction::exec);
            assertSays("a reply that was not asked for", surplus);
        }
    }

    /* ---- Nodes that end a connection in the midst of a batch ---- */

    /**
     * A node that executes the INCRs of a batch that arrive first, and then resets the connection.
     * Later it serves.
     */
    private static ScriptedNode.Script dying(Map<String, Integer> executed) {
        AtomicBoolean isDead = new AtomicBoolean();
        return talk -> {
            talk.handshake();
            for (List<String> command : talk.commands()) {
                boolean isOfBatch = command.get(0).equals("INCR");
                if (isOfBatch) {
                    executed.merge(command.get(1), 1, Integer::sum);
                }
                if (isOfBatch && !isDead.get()) {
                    if (talk.arrived() == 0) {
                        isDead.set(true);
                        talk.reset();
                    }
                } else {
                    talk.send(":1\r\n");
                }
            }
        };
    }

    /**
     * The client writes several records in one step, and the node dies after the first record. The
     * client may notice during that step or after it, so the test is repeated.
     */
    @RepeatedTest(20)
    void commandsThatANodeExecutedBeforeAResetAreNotReportedAsUnsent() {
        SSLParameters small = new SSLParameters();
        small.setMaximumPacketSize(1024);
        Map<String, Integer> executed = new ConcurrentHashMap<>();
        try (ScriptedNode node =
                        ScriptedNode.start(certificates.contextOf("node"), dying(executed));
                OneHopClient redis =
                        Nodes.clientOf(
                                OneHopClient.builder()
                                        .tls(certificates.options().sslParameters(small).build()),
                                Nodes.configOf(Stream.of(node.server()), "pool_size: 1"))) {
            // Only an idle connection could be replaced, and the batch sent again.
            redis.exists("warm");
            Map<String, Response<Long>> replies = new HashMap<>();
            try (AbstractPipeline batch = redis.pipelined()) {
                for (int i = 0; i < 3000; i++) {
                    replies.put("counter:" + i, batch.incr("counter:" + i));
                }
                batch.sync();
            } catch (OneHopException failed) {
                // Each reply has its own failure.
            }
            replies.forEach((key, reply) -> requireHonest(executed.getOrDefault(key, 0), reply));
        }
    }

    private static void requireHonest(int times, Response<Long> reply) {
        try {
            reply.get();
            assertEquals(1, times);
        } catch (OneHopException failed) {
            assertTrue(times <= (failed.mayHaveExecuted() ? 1 : 0), failed::getMessage);
        }
    }
}
