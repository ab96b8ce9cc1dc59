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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** A password that comes from a file of its own, with real nodes. */
class PasswordFileTest {
    @TempDir private Path folder;
    private final Log log = new Log();
    private final List<String> logged = new ArrayList<>();

    @AfterEach
    void close() {
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

    /** A configuration without a file of its own: its password follows the file all the same. */
    private OneHopClient client(RedisServer server) {
        return Nodes.clientOf(
                "alpha: {redis_auth_file: " + file() + ", servers: [" + server.node() + "]}");
    }

    private void assertRefused(RedisServer server, String reason) {
        ConfigInvalid refused = assertThrows(ConfigInvalid.class, () -> client(server));
        assertBegins("Password file " + file() + ": " + reason + ";", refused);
    }

    private boolean isLogged(String text) {
        logged.addAll(log.taken());
        return logged.stream().anyMatch(line -> line.contains(text));
    }

    @Test
    void theFirstLineIsThePassword() throws IOException {
        try (RedisServer server = RedisServer.start("requirepass", "secret-1")) {
            assertRefused(server, "No such file or directory");
            put("\nsecret");
            assertRefused(server, "its first line is empty");
            put("secret".repeat(2000));
            assertRefused(server, "it is larger than 8192 bytes");
            put("secret-1\nno part of it");
            try (OneHopClient redis = client(server)) {
                assertEquals("OK", redis.set("key", "value"));
                assertFalse(redis.status().toString().contains("secret"));
            }
        }
    }

    @Test
    void anotherPasswordIsUsedWithinSecondsAndABadFileChangesNothing() throws Exception {
        put("secret-1");
        try (RedisServer server = RedisServer.start("requirepass", "secret-1");
                OneHopClient redis = client(server)) {
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
                OneHopClient redis = client(server)) {
            assertEquals("OK", redis.set("key", "value"));
            assertTrue(isLogged("password file " + file() + " holds a password, and every user"));
        }
    }
}
