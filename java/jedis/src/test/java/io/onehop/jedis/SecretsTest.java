package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.onehop.jedis.lab.Certificates;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.TlsServer;
import io.onehop.jedis.lab.WatchedMasters;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * Passwords have a mark, which must not be in anything that a client shows while calls succeed and
 * fail: traces, log lines, status, topology, metrics, and the texts of its objects.
 */
class SecretsTest {
    private static final String MARK = "m4rk3d";

    @TempDir private Path folder;

    /** Everything that a client shows after some calls. */
    private static String shown(OneHopClient redis) {
        StringWriter shown = new StringWriter();
        PrintWriter traces = new PrintWriter(shown);
        List<Runnable> calls =
                List.of(
                        () -> redis.get("key"),
                        () -> redis.mget("a", "b", "c"),
                        () -> redis.eval("return redis.call('NOSUCH', KEYS[1])", 1, "key"),
                        () -> {
                            try (AbstractPipeline batch = redis.pipelined()) {
                                batch.incr("number");
                                Response<Long> refused = batch.lpush("number", "no list");
                                batch.sync();
                                shown.append(String.valueOf(refused.get()));
                            }
                        });
        for (Runnable call : calls) {
            try {
                call.run();
            } catch (RuntimeException failed) {
                failed.printStackTrace(traces);
            }
        }
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new OneHopMetrics(redis).bindTo(registry);
        shown.append(redis + " " + redis.status() + " " + redis.topology());
        shown.append(redis.topology().nodes().toString());
        shown.append(registry.getMetersAsString());
        return shown.toString();
    }

    /**
     * Waits until a client shows or logs {@code what}. Returns everything that it has shown and
     * logged.
     */
    private static String shown(String what, OneHopClient.Builder builder) {
        try (Log log = new Log()) {
            StringBuilder shown = new StringBuilder();
            try (OneHopClient redis = builder.build()) {
                shown.append(shown(redis));
                RedisCluster.await(
                        what + " is shown",
                        () -> {
                            log.taken().forEach(shown::append);
                            return shown.indexOf(what) >= 0;
                        });
            }
            log.taken().forEach(shown::append);
            return shown.toString();
        }
    }

    private static OneHopClient.Builder builder(String config) {
        return OneHopClient.builder().configText(config).pool("alpha");
    }

    private static void requireHidden(String what, String config) {
        requireHidden(what, MARK, builder(config));
    }

    private static void requireHidden(String what, String secret, OneHopClient.Builder builder) {
        String shown = shown(what, builder);
        assertFalse(shown.contains(secret), shown);
    }

    private static String pool(String directives, String server) {
        return "alpha: {engine: redis, timeout: 30000, "
                + directives
                + ", servers: [\""
                + server
                + "\"]}";
    }

    @Test
    void thePasswordOfANodeIsShownNowhere() throws IOException {
        String inText = "redis_auth: " + MARK;
        Path file = Files.writeString(folder.resolve("password"), MARK + "\n");
        String inFile = "redis_auth_file: " + file;
        try (RedisServer server = RedisServer.start("requirepass", MARK);
                RedisServer other = RedisServer.start("requirepass", "another")) {
            for (String directive : List.of(inText, inFile)) {
                requireHidden("127.0.0.1", pool(directive, server.node()));
                requireHidden("WRONGPASS", pool(directive, other.node()));
                requireHidden(
                        "Connection refused", pool(directive, "127.0.0.1:" + Processes.freePort()));
            }
        }
    }

    /** The password is the value of a variable that every process has. */
    @Test
    void thePasswordOfTheEnvironmentIsShownNowhere() {
        String path = System.getenv("PATH");
        try (RedisServer server = RedisServer.start("requirepass", path);
                RedisServer other = RedisServer.start("requirepass", "another")) {
            String directive = "redis_auth: '${PATH}'";
            requireHidden("127.0.0.1", path, builder(pool(directive, server.node())));
            requireHidden("WRONGPASS", path, builder(pool(directive, other.node())));
        }
    }

    @Test
    void thePasswordOfAProviderIsShownNowhere() {
        Supplier<RedisCredentials> provider = () -> new DefaultRedisCredentials("default", MARK);
        try (RedisServer server = RedisServer.start("requirepass", MARK);
                RedisServer other = RedisServer.start("requirepass", "another")) {
            for (RedisServer each : List.of(server, other)) {
                requireHidden(
                        each == server ? "127.0.0.1" : "WRONGPASS",
                        MARK,
                        builder(pool("max_connection_age: 1000", each.node()))
                                .credentials(provider));
            }
        }
    }

    @Test
    void thePasswordOfSentinelsIsShownNowhere() {
        try (WatchedMasters masters = WatchedMasters.start(1, "another")) {
            requireHidden("no Sentinel", masters.config("sentinel_password: " + MARK));
        }
        try (WatchedMasters masters = WatchedMasters.start(1, MARK)) {
            requireHidden("node-0", masters.config("sentinel_password: " + MARK));
        }
    }

    @Test
    void thePasswordOfAKeyIsShownNowhere() {
        Certificates certificates = new Certificates(folder);
        certificates.issue("client", Certificates.NAMES, 30);
        certificates.openssl(
                "pkcs8 -topk8 -out locked.key -passout pass:" + MARK + " -in",
                certificates.key("client"));
        String tls =
                "tls: true, tls_ca_cert_file: "
                        + certificates.certificate("ca")
                        + ", tls_cert_file: "
                        + certificates.certificate("client")
                        + ", tls_key_file: ";
        try (TlsServer server = TlsServer.start(certificates, "node")) {
            String locked = tls + certificates.path("locked.key");
            requireHidden(
                    "127.0.0.1", pool(locked + ", tls_key_file_pass: " + MARK, server.node()));
            String wrong = locked + ", tls_key_file_pass: " + MARK + "-wrong";
            requireHidden("tls_key_file", pool(wrong, server.node()));
        }
    }

    @Test
    void aConfigurationThatIsRefusedShowsNoPassword() {
        String marked = "alpha:\n  engine: redis\n  redis_auth: " + MARK + "\n";
        for (String bad :
                List.of(
                        "  redis_auth: " + MARK + "\n  servers: [x]\n",
                        "  timeout: soon\n  servers: ['h:1']\n",
                        "  timeout: x@" + MARK + "\n  servers: ['h:1']\n",
                        "  servers: ['redis://:" + MARK + "@h:1', 'h:1?auth=" + MARK + "']\n")) {
            StringWriter trace = new StringWriter();
            assertThrows(ConfigInvalid.class, () -> builder(marked + bad).build())
                    .printStackTrace(new PrintWriter(trace));
            assertFalse(trace.toString().contains(MARK), trace.toString());
        }
    }

    /**
     * The text of a configuration is given as a path, as a long path, and as the name of a pool.
     */
    @Test
    void aTextThatIsGivenAsAPathOrANameIsNotShown() {
        String text = "alpha: {engine: redis, servers: ['h:1'], redis_auth: " + MARK;
        String lines = "alpha:\n  redis_auth: " + MARK;
        List<OneHopClient.Builder> builders =
                List.of(
                        OneHopClient.builder().config(Path.of(text + "}")).pool("alpha"),
                        OneHopClient.builder().config(Path.of(lines)).pool("alpha"),
                        OneHopClient.builder()
                                .config(Path.of(text + "}" + "#".repeat(300)))
                                .pool("alpha"),
                        OneHopClient.builder().configText(text + "}").pool(text));
        for (OneHopClient.Builder builder : builders) {
            StringWriter trace = new StringWriter();
            assertThrows(ConfigInvalid.class, builder::build)
                    .printStackTrace(new PrintWriter(trace));
            assertFalse(trace.toString().contains(MARK), trace.toString());
            assertTrue(trace.toString().contains("..."), trace.toString());
        }
    }
}
