package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.DefaultRedisCredentialsProvider;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisCredentialsProvider;
import redis.clients.jedis.params.ClientKillParams;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** User and password from a credentials provider of Jedis, or from a file of their own. */
class CredentialsTest {
    private static final int ROTATIONS = 20;
    private static final int CALLERS = 4;

    private RedisServer server;
    private Jedis admin;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        admin = server.jedis();
        admin.aclSetUser("default", "resetpass", ">admin");
        admin.auth("admin");
        admin.aclSetUser("shop", "on", ">secret-0", "~*", "&*", "+@all");
    }

    @AfterEach
    void stop() {
        admin.close();
        server.close();
    }

    private static RedisCredentials shop(String password) {
        return new DefaultRedisCredentials("shop", password);
    }

    private OneHopClient client(Supplier<RedisCredentials> provider, String directives) {
        return OneHopClient.builder()
                .configText(
                        "alpha: {engine: redis, timeout: 30000, "
                                + directives
                                + "servers: ["
                                + server.node()
                                + "]}")
                .pool("alpha")
                .credentials(provider)
                .build();
    }

    private void dropConnections() {
        admin.clientKill(new ClientKillParams().user("shop").skipMe(ClientKillParams.SkipMe.YES));
    }

    @Test
    void eachNewConnectionAsksTheProviderAndNotTheConfiguration() {
        List<String> asked = new ArrayList<>();
        RedisCredentialsProvider provider =
                new RedisCredentialsProvider() {
                    @Override
                    public void prepare() {
                        asked.add("prepare");
                    }

                    @Override
                    public RedisCredentials get() {
                        asked.add("get");
                        return shop("secret-0");
                    }

                    @Override
                    public void cleanUp() {
                        asked.add("clean up");
                    }
                };
        try (OneHopClient redis = client(provider, "redis_auth: wrong, username: nobody, ")) {
            assertTrue(asked.isEmpty());
            assertEquals("OK", redis.set("key", "value"));
            assertEquals("value", redis.get("key"));
            assertEquals(List.of("prepare", "get", "clean up"), asked);
            dropConnections();
            assertEquals("value", redis.get("key"));
            assertEquals(6, asked.size());
        }
    }

    @Test
    void aProviderWithoutAPasswordIsReportedWithoutTheTextOfItsException() {
        Supplier<RedisCredentials> none = () -> new RedisCredentials() {};
        Supplier<RedisCredentials> throwing =
                () -> {
                    throw new IllegalStateException("secret-0");
                };
        for (Supplier<RedisCredentials> provider : List.of(none, throwing)) {
            try (OneHopClient redis = client(provider, "")) {
                ConfigInvalid refused = assertThrows(ConfigInvalid.class, () -> redis.get("key"));
                assertFalse(refused.mayHaveExecuted());
                String reason =
                        provider == throwing
                                ? "java.lang.IllegalStateException"
                                : "it returned none";
                assertBegins(
                        "The credentials provider supplied no password (" + reason + "), node ",
                        refused);
                assertFalse(refused.getMessage().contains("secret"));
            }
        }
        try (OneHopClient redis = client(() -> shop("wrong"), "")) {
            ConfigInvalid refused = assertThrows(ConfigInvalid.class, () -> redis.get("key"));
            assertBegins("The node refused the user name or password: WRONGPASS", refused);
        }
    }

    @Test
    void ifANodeThatDoesNotKnowAuthRepeatsThePasswordTheFailureDoesNotShowThePassword() {
        try (RedisServer old = RedisServer.start("rename-command", "AUTH nothing");
                OneHopClient redis =
                        Nodes.clientOf(
                                "alpha: {timeout: 30000, redis_auth: secret-0, username: shop,"
                                        + " servers: ["
                                        + old.node()
                                        + "]}")) {
            ConfigInvalid refused = assertThrows(ConfigInvalid.class, () -> redis.get("key"));
            StringWriter trace = new StringWriter();
            refused.printStackTrace(new PrintWriter(trace));
            String shown = trace + redis.status().toString() + redis.topology() + redis;
            assertTrue(shown.contains("ERR unknown command"), shown);
            assertFalse(shown.contains("secret-0"), shown);
        }
    }

    @Test
    void noCallFailsWhilePasswordsOfAProviderRotate() throws InterruptedException {
        DefaultRedisCredentialsProvider provider =
                new DefaultRedisCredentialsProvider(shop("secret-0"));
        try (OneHopClient redis = client(provider, "max_connection_age: 20, ")) {
            rotate(redis, number -> provider.setCredentials(shop("secret-" + number)));
        }
    }

    @Test
    void noCallFailsWhilePasswordsOfAFileRotate(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "secret-0");
        try (OneHopClient redis =
                Nodes.clientOf(
                        "alpha: {timeout: 30000, max_connection_age: 20, username: shop,"
                                + " redis_auth_file: "
                                + file
                                + ", servers: ["
                                + server.node()
                                + "]}")) {
            rotate(
                    redis,
                    number -> {
                        long before = redis.status().generation();
                        try {
                            Path beside = folder.resolve("beside");
                            Files.writeString(beside, "secret-" + number);
                            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
                        } catch (IOException failure) {
                            throw new UncheckedIOException(failure);
                        }
                        assertTrue(Callers.holdsSoon(() -> redis.status().generation() > before));
                    });
        }
    }

    /**
     * Both passwords are valid until all callers use the new one; then only the new one is.
     * Connections are renewed often, so each password is used to open some of them.
     */
    private void rotate(OneHopClient redis, IntConsumer use) throws InterruptedException {
        AtomicIntegerArray calls = new AtomicIntegerArray(CALLERS);
        AtomicBoolean isOver = new AtomicBoolean();
        Callers.inThreads(
                CALLERS + 1,
                caller -> {
                    try {
                        for (int number = 1; caller == CALLERS && number <= ROTATIONS; number++) {
                            admin.aclSetUser("shop", ">secret-" + number);
                            use.accept(number);
                            awaitCalls(calls);
                            admin.aclSetUser("shop", "<secret-" + (number - 1));
                            awaitCalls(calls);
                        }
                        while (caller < CALLERS && !isOver.get()) {
                            String key = "key" + caller;
                            assertEquals("OK", redis.set(key, key));
                            assertEquals(key, redis.get(key));
                            calls.incrementAndGet(caller);
                        }
                    } finally {
                        isOver.set(true);
                    }
                });
    }

    /** Waits until each caller has ended its present call and ten more calls. */
    private static void awaitCalls(AtomicIntegerArray calls) {
        for (int caller = 0; caller < CALLERS; caller++) {
            int which = caller;
            int before = calls.get(which);
            assertTrue(Callers.holdsSoon(() -> calls.get(which) > before + 10));
        }
    }

    /* ---- From a file of its own ---- */

    @TempDir private Path folder;
    private final Log log = new Log();
    private final List<String> logged = new ArrayList<>();

    @AfterEach
    void closeTheLog() {
        log.close();
    }

    private Path file() {
        return folder.resolve("password");
    }

    private void put(String content) throws IOException {
        put(content, "rw-------");
    }

    private void put(String content, String rights) throws IOException {
        Path beside = Files.writeString(folder.resolve("beside"), content);
        Files.setPosixFilePermissions(beside, PosixFilePermissions.fromString(rights));
        Files.move(beside, file(), StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * A client that follows the password file, although its configuration is a text and no file.
     */
    private OneHopClient followingClient(RedisServer server) {
        return Nodes.clientOf(
                "alpha: {timeout: 30000, redis_auth_file: "
                        + file()
                        + ", servers: ["
                        + server.node()
                        + "]}");
    }

    private void assertRefused(RedisServer server, String reason) {
        ConfigInvalid refused = assertThrows(ConfigInvalid.class, () -> followingClient(server));
        assertBegins("Password file " + file() + ": " + reason + ";", refused);
    }

    private boolean isLogged(String text) {
        logged.addAll(log.taken());
        return logged.stream().anyMatch(line -> line.contains(text));
    }

    @Test
    void theFirstLineOfTheFileIsThePassword() throws IOException {
        try (RedisServer server = RedisServer.start("requirepass", "secret-1")) {
            assertRefused(server, "No such file or directory");
            put("\nsecret");
            assertRefused(server, "its first line is empty");
            put("secret".repeat(2000));
            assertRefused(server, "it is larger than 8192 bytes");
            put("secret-1\nno part of it");
            try (OneHopClient redis = followingClient(server)) {
                assertEquals("OK", redis.set("key", "value"));
                assertFalse(redis.status().toString().contains("secret"));
            }
        }
    }

    @Test
    void anotherPasswordIsUsedWithinSecondsAndABadFileChangesNothing() throws Exception {
        put("secret-1");
        try (RedisServer server = RedisServer.start("requirepass", "secret-1");
                OneHopClient redis = followingClient(server)) {
            assertEquals("OK", redis.set("key", "value"));
            try (Jedis admin = server.jedis()) {
                admin.auth("secret-1");
                admin.configSet("requirepass", "secret-2");
                put("secret-2");
                assertTrue(Callers.holdsSoon(() -> redis.status().generation() == 2));
                assertEquals("value", redis.get("key"));
                put("");
                String refused = "its first line is empty; the configuration read before stays";
                assertTrue(Callers.holdsSoon(() -> isLogged(refused)));
                assertEquals("value", redis.get("key"));
                put("secret-2", "rw-r--r--");
                assertEquals("value", redis.get("key"));
            }
        }
    }

    @Test
    void aPasswordThatEveryUserMayReadIsReported() throws IOException {
        put("secret-1", "rw-r--r--");
        try (RedisServer server = RedisServer.start("requirepass", "secret-1");
                OneHopClient redis = followingClient(server)) {
            assertEquals("OK", redis.set("key", "value"));
            assertTrue(isLogged("password file " + file() + " holds a password, and every user"));
        }
    }
}
