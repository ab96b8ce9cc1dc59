package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.base.Clock;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.Server;
import io.onehop.jedis.internal.pool.PoolSettings;
import io.onehop.jedis.internal.snapshot.Snapshot;
import io.onehop.jedis.internal.snapshot.Snapshots;
import io.onehop.jedis.internal.tls.ClientTls;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the watcher does with each version of a configuration file. The tests run its checks one by
 * one, without nodes.
 */
class ConfigWatcherTest {
    private static final String ONE = text("127.0.0.1:1:1");
    private static final String TWO = text("127.0.0.1:1:1", "127.0.0.1:2:1");

    @TempDir private Path folder;
    private Path file;
    private final Log log = new Log();
    private final List<TopologyChange> changes = new ArrayList<>();
    private Snapshots snapshots;
    private ConfigWatcher watcher;

    private static String text(String... servers) {
        return Nodes.configOf(Stream.of(servers));
    }

    @BeforeEach
    void open() throws Exception {
        file = Files.writeString(folder.resolve("nutcracker.yml"), ONE);
        follow(changes::add);
    }

    private void follow(Consumer<TopologyChange> listener) throws Exception {
        ConfigSource source = new ConfigSource(file, "alpha", 0);
        byte[] bytes = source.bytes();
        snapshots =
                new Snapshots(
                        PoolTopology.of(source.pool(bytes)),
                        new ClientTls(null, null),
                        PoolSettings.STANDARD);
        watcher = new ConfigWatcher(source, bytes, snapshots, listener);
    }

    @AfterEach
    void close() {
        watcher.close();
        snapshots.close();
        log.close();
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text);
    }

    private void replace(String text) throws IOException {
        Path beside = Files.writeString(folder.resolve("beside"), text);
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The log lines of three checks in a row. */
    private List<String> checked() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            watcher.check();
        }
        return log.taken();
    }

    private int nodes() {
        return snapshots.newest().topology().nodes().size();
    }

    @Test
    void aChangeIsAnnouncedWithThePartOfKeysThatMoveAndThenUsed() throws Exception {
        assertEquals(List.of(), checked());
        PoolTopology before = snapshots.newest().topology();
        write(TWO);
        assertEquals(1, nodes());
        int moved =
                before.moved(
                        PoolTopology.of(new ConfigSource(TWO, "alpha", 0).pool(TWO.getBytes())));
        assertTrue(moved > 400 && moved < 600, "half of the keys, about: " + moved);
        assertEquals(
                List.of(
                        "info: configuration file "
                                + file
                                + " changed: "
                                + moved / 10
                                + "."
                                + moved % 10
                                + " % of the keys of server pool alpha move (generation 2)"),
                checked());
        assertEquals(2, nodes());
        assertEquals(
                List.of(new TopologyChange(before, snapshots.newest().topology(), moved, 2)),
                changes);
        assertEquals(2, snapshots.newest().generation());
        replace(ONE);
        assertEquals(1, checked().size());
        assertEquals(1, nodes());
        assertEquals(moved, changes.get(1).moved());
        assertEquals(3, changes.get(1).generation());
    }

    /** If no memory is left, even logging throws an Error, which nothing catches. */
    @Test
    void anErrorInTheThreadOfTheWatcherDoesNotEndTheWatching() throws Exception {
        AtomicInteger thrown = new AtomicInteger();
        AtomicBoolean isFull = new AtomicBoolean(true);
        Handler full =
                new StreamHandler() {
                    @Override
                    public void publish(LogRecord line) {
                        if (isFull.get()) {
                            thrown.incrementAndGet();
                            throw new OutOfMemoryError("by the test");
                        }
                    }
                };
        Logger logger = Logger.getLogger("io.onehop");
        logger.addHandler(full);
        try {
            watcher.start();
            write("alpha: [");
            RedisCluster.await("logging has failed twice", () -> thrown.get() >= 2);
            write(TWO);
            isFull.set(false);
            RedisCluster.await("the watcher goes on", () -> nodes() == 2);
        } finally {
            logger.removeHandler(full);
        }
    }

    @Test
    void linksAreFollowedAndADanglingLinkChangesNothing() throws Exception {
        watcher.close();
        Files.writeString(Files.createDirectory(folder.resolve("one")).resolve("n.yml"), ONE);
        Files.writeString(Files.createDirectory(folder.resolve("two")).resolve("n.yml"), TWO);
        leadTo("one");
        file = Files.createSymbolicLink(folder.resolve("n.yml"), Path.of("..data/n.yml"));
        follow(changes::add);
        assertEquals(List.of(), checked());
        leadTo("two");
        assertEquals(1, nodes());
        List<String> lines = checked();
        assertEquals(1, lines.size());
        assertTrue(
                lines.get(0).endsWith(" % of the keys of server pool alpha move (generation 2)"),
                lines.get(0));
        assertEquals(2, nodes());
        leadTo("nowhere");
        lines = checked();
        assertEquals(1, lines.size());
        assertTrue(
                lines.get(0).endsWith("; the configuration read before stays in use"),
                lines.get(0));
        assertEquals(2, nodes());
        leadTo("one");
        assertEquals(1, checked().size());
        assertEquals(1, nodes());
    }

    @Test
    void aPasswordThatEveryUserCouldReadIsLoggedOnce() throws Exception {
        String secret = ONE.replace("redis: true", "redis: true\n  redis_auth: secret");
        write(secret);
        for (String rights : List.of("rw-r-----", "rw-r--r--", "rw-r---w-", "rw-r--rw-")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
            write(ONE);
            checked();
            write(secret);
            String warning =
                    checked().stream()
                            .filter(line -> line.contains("password"))
                            .collect(Collectors.joining());
            String may =
                    rights.endsWith("---")
                            ? null
                            : rights.endsWith("r--")
                                    ? "read"
                                    : rights.endsWith("rw-") ? "read and write" : "write";
            assertEquals(
                    may == null
                            ? ""
                            : "warning: configuration file "
                                    + file
                                    + " holds a password, and every user of this machine may "
                                    + may
                                    + " it: take these rights away (chmod o=)",
                    warning);
            Nodes.clientOf(file).close();
            assertEquals(may == null ? 0 : 1, log.taken().size());
        }
    }

    @Test
    void eachOfTwoFilesWithAPasswordThatEveryUserCanReadIsLogged() throws Exception {
        Path password = Files.writeString(folder.resolve("password"), "secret");
        write(
                "alpha: {redis_auth_file: "
                        + password
                        + ", sentinels: ['127.0.0.1:1'], sentinel_password: secret,"
                        + " servers: ['127.0.0.1:2 one']}");
        for (Path each : List.of(file, password)) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rw-r--r--"));
        }
        List<String> lines = checked().stream().filter(line -> line.contains("holds")).toList();
        assertEquals(2, lines.size(), lines.toString());
        assertTrue(lines.get(0).contains("password file " + password), lines.toString());
        assertTrue(lines.get(1).contains("configuration file " + file), lines.toString());
    }

    @Test
    void aPasswordOfTheEnvironmentMayStandInAFileThatEveryUserCanRead() throws Exception {
        write("alpha: {engine: redis, redis_auth: '${PATH}', servers: [127.0.0.1:1]}");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        checked();
        Nodes.clientOf(file).close();
        assertEquals(List.of(), log.taken());
    }

    /**
     * Changes the link as Kubernetes does for a ConfigMap: in another process, so that the JVM
     * itself does not know of the change.
     */
    private void leadTo(String target) throws Exception {
        assertEquals(
                0,
                new ProcessBuilder("sh", "-c", "ln -s " + target + " beside && mv -T beside ..data")
                        .directory(folder.toFile())
                        .start()
                        .waitFor());
    }

    @Test
    void theStatusSaysWhatIsWrongWithTheFileAndSinceWhen() throws Exception {
        long begin = Clock.unixMs();
        assertTrue(watcher.status().ok());
        write("rubbish");
        checked();
        ConfigStatus refused = watcher.status();
        assertFalse(refused.ok());
        assertEquals(
                "Configuration " + file + ", line 1: the document is not a mapping of server pools",
                refused.error());
        assertFalse(refused.readAt().toEpochMilli() < begin);
        checked();
        assertEquals(refused, watcher.status(), "the error and its time stay the same");
        write(ONE.replace("alpha", "beta"));
        checked();
        assertTrue(
                watcher.status().error().contains("There is no server pool"),
                watcher.status().error());
        write(ONE);
        checked();
        assertTrue(watcher.status().ok());
        assertNull(watcher.status().error());
        assertFalse(watcher.status().readAt().isBefore(refused.readAt()));
        assertEquals(1, snapshots.newest().generation());
    }

    /** Throws a checked exception without declaring it, as Kotlin and code with Lombok may. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void theListenerIsCalledBeforeTheChangeAndCannotStopIt() throws Exception {
        watcher.close();
        follow(
                change -> {
                    changes.add(change);
                    assertSame(change.before(), snapshots.newest().topology());
                    ConfigWatcherTest.<RuntimeException>sneak(new IOException("I do not like it"));
                });
        write(TWO);
        assertEquals(
                "warning: the listener to changes failed; the changed configuration is used all the"
                        + " same",
                checked().get(1));
        assertEquals(2, nodes());
        assertEquals(1, changes.size());
    }

    /** Does what {@code Sentinels} does when a master has another address. */
    private void failOver(int port) {
        snapshots.adopt(
                now ->
                        now.withMasters(
                                List.of(new Server("one", "127.0.0.1", port, null, 1, 1, true)),
                                Map.of("one", "7"),
                                List.of()));
    }

    @Test
    void theNewAddressOfAMasterThatMovesWhileTheListenerRunsIsKept() throws Exception {
        watcher.close();
        String watched =
                "alpha: {engine: redis, sentinels: ['127.0.0.1:1'], servers: ['127.0.0.1:2 one']}";
        write(watched);
        follow(change -> failOver(4));
        failOver(3);
        write(watched.replace("redis,", "redis, timeout: 1234,"));
        assertEquals(1, checked().size());
        assertEquals(1234, snapshots.newest().pool().timeoutMs());
        assertEquals("127.0.0.1:4", snapshots.newest().topology().nodes().get(0).address());
    }

    @Test
    void aVersionWithAnErrorNeverReplacesAGoodVersionAndIsLoggedOnce() throws Exception {
        String line = "warning: Configuration " + file + ", line 1: ";
        String stays = "; the configuration read before stays in use";
        write("rubbish");
        assertEquals(
                List.of(line + "the document is not a mapping of server pools" + stays), checked());
        write(TWO.substring(0, TWO.indexOf("servers")));
        assertEquals(List.of(line + "directive \"servers\" is missing" + stays), checked());
        write("");
        assertEquals(List.of(line + "there is no server pool" + stays), checked());
        write(TWO.replace("alpha", "beta"));
        assertEquals(
                List.of(
                        "warning: There is no server pool alpha in "
                                + file
                                + ", only beta"
                                + stays),
                checked());
        write(TWO.replace("redis: true", "redis: false"));
        assertEquals(List.of("warning: Server pool alpha speaks memcached" + stays), checked());
        write(TWO + "#".repeat(1 << 20));
        assertEquals(1, checked().size());
        Files.delete(file);
        assertEquals(
                List.of("warning: Configuration " + file + ": No such file or directory" + stays),
                checked());
        Files.createDirectory(file);
        assertEquals(1, checked().size());
        Files.delete(file);
        assertEquals(1, nodes());
        assertEquals(List.of(), changes);
        checked();
        write(TWO);
        assertEquals(1, checked().size());
        assertEquals(2, nodes());
    }

    @Test
    void aVersionThatIsGoodAndThenBadAgainIsLoggedAgain() throws Exception {
        for (int i = 0; i < 2; i++) {
            Files.delete(file);
            assertEquals(1, checked().size());
            write(ONE);
            assertEquals(List.of(), checked());
            write("rubbish");
            assertEquals(1, checked().size());
            replace(ONE);
            assertEquals(List.of(), checked());
        }
        assertEquals(List.of(), changes);
    }

    @Test
    void anEquivalentVersionChangesNothing() throws Exception {
        Snapshot before = snapshots.newest();
        replace(
                "# A comment.\n"
                        + ONE.replace("alpha:\n", "alpha:\n  preconnect: true\n")
                        + TWO.replace("alpha", "beta").replace("127.0.0.1:1\n", "127.0.0.1:2\n"));
        assertEquals(List.of(), checked());
        assertSame(before, snapshots.newest());
        replace(ONE.replace("timeout: 30000", "timeout: 1234"));
        assertEquals(
                List.of(
                        "info: configuration file "
                                + file
                                + " changed: 0.0 % of the keys of server pool alpha move"
                                + " (generation 2)"),
                checked());
        assertNotSame(before, snapshots.newest());
    }

    @Test
    void noMessageContainsThePassword() throws Exception {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        write(ONE.replace("alpha:\n", "alpha:\n  redis_auth: secret\n"));
        List<String> lines = checked();
        assertEquals(1, lines.size());
        write(ONE.replace("alpha:\n", "alpha:\n  redis_auth: secret\n  redis_auth: secret\n"));
        lines = checked();
        assertEquals(1, lines.size());
        assertFalse(lines.get(0).contains("secret"), lines.get(0));
    }

    @Test
    void aPasswordFileMayBeWrittenLaterThanTheConfigurationAndMayBeDeletedForAWhile()
            throws Exception {
        Path password = folder.resolve("password");
        String refused =
                "warning: Password file "
                        + password
                        + ": No such file or directory; the configuration read before stays in use";
        write(ONE.replace("alpha:\n", "alpha:\n  redis_auth_file: " + password + "\n"));
        assertEquals(List.of(refused), checked());
        assertEquals(1, snapshots.newest().generation());
        for (int i = 0; i < 2; i++) {
            Files.writeString(password, "secret\n");
            Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
            assertEquals(i == 0 ? 1 : 0, checked().size());
            assertEquals("secret", snapshots.newest().pool().redisAuth());
            assertEquals(2, snapshots.newest().generation());
            assertTrue(watcher.status().ok(), watcher.status().toString());
            Files.delete(password);
            assertEquals(List.of(refused), checked());
            assertFalse(watcher.status().ok());
        }
    }

    @Test
    void aClosedClientAdoptsNothing() throws Exception {
        snapshots.close();
        write(TWO);
        checked();
        assertEquals(1, nodes());
    }
}
