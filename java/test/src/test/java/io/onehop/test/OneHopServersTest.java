package io.onehop.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.DeadlineExceeded;
import io.onehop.jedis.NodeDown;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/** Servers that tests stop and pause, and what is left of them. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OneHopServersTest {
    @RegisterExtension static final OneHopServers servers = OneHopServers.ring(2, "timeout: 30000");

    @Test
    @Order(1)
    void aStoppedNodeIsDown() {
        servers.client().set("key", "value");
        servers.serverOf("key").stop();
        NodeDown failure = assertThrows(NodeDown.class, () -> servers.client().get("key"));
        assertTrue(failure.getMessage().contains("node-"), failure.getMessage());
    }

    @Test
    @Order(2)
    void theNextTestBeginsWithAllServersAndWithoutKeys() {
        assertNull(servers.client().get("key"));
        assertEquals(0, servers.client().dbSize());
    }

    @Test
    void aPausedNodeMakesCallersWait() {
        try (OneHopServers some = OneHopServers.ring(1, "timeout: 5000")) {
            some.serverOf("key").pause();
            assertThrows(DeadlineExceeded.class, () -> some.client().get("key"));
            some.reset();
            assertNull(some.client().get("key"));
        }
    }

    @Test
    void aNodeIsStartedAgainDuringATest() {
        TestServer server = servers.serverOf("key");
        int port = server.port();
        server.stop();
        server.start();
        try (var jedis = server.jedis()) {
            assertEquals("PONG", jedis.ping());
        }
        assertEquals(port, server.port());
    }

    @Test
    void allServersWatchedBySentinelsAreThereAgainAfterAFailover() {
        isWholeAgain(OneHopServers.sentinels(1, "timeout: 30000"));
    }

    @Test
    void aRedisClusterIsWholeAgainAfterAFailover() {
        isWholeAgain(OneHopServers.cluster(2, "timeout: 30000"));
    }

    private static void isWholeAgain(OneHopServers some) {
        try (some) {
            TestServer before = some.serverOf("key");
            some.failOver("key");
            assertNotEquals(before, some.serverOf("key"));
            some.reset();
            some.client().set("key", "value");
            try (var jedis = before.jedis()) {
                assertTrue(jedis.info("replication").contains("master_link_status:up"));
            }
        }
    }

    @Test
    void nothingIsLeftOfAProcessThatIsKilled(@TempDir Path folder) throws Exception {
        Path foreign = Files.createDirectory(folder.resolve("My")); // What an unquoted path names.
        Path own = Files.createDirectory(folder.resolve("My Job's"));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process program =
                new ProcessBuilder(
                                java,
                                "-Djava.io.tmpdir=" + own,
                                "-cp",
                                System.getProperty("java.class.path"),
                                KilledProgram.class.getName())
                        .redirectError(new File("/dev/null"))
                        .start();
        String[] said = program.inputReader().readLine().split(" ", 2);
        ProcessHandle server = ProcessHandle.of(Long.parseLong(said[0])).orElseThrow();
        program.destroyForcibly();
        Waiting.until("the server has ended", () -> !server.isAlive());
        Waiting.until("its files are removed", () -> !Files.exists(Path.of(said[1])));
        assertTrue(Path.of(said[1]).startsWith(own), said[1]);
        assertTrue(Files.exists(foreign));
    }

    /** Starts a server, prints its process and its directory, and waits to be killed. */
    static final class KilledProgram {
        private KilledProgram() {}

        public static void main(String[] arguments) throws Exception {
            try (OneHopServers servers = OneHopServers.ring(1)) {
                try (var jedis = servers.servers().get(0).jedis()) {
                    String pid = jedis.info("server").replaceAll("(?s).*process_id:(\\d+).*", "$1");
                    System.out.println(pid + " " + servers.file().getParent());
                }
                Thread.sleep(60_000);
            }
        }
    }
}
