package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.onehop.jedis.lab.Certificates;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.TlsServer;
import io.onehop.jedis.lab.WatchedMasters;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Passwords that bear a mark, and everything that a client shows of itself while calls succeed and
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

    /** What a client of this configuration shows, and its log. */
    private static String shown(String config) {
        try (Log log = new Log()) {
            StringBuilder shown = new StringBuilder();
            try (OneHopClient redis =
                    OneHopClient.builder().configText(config).pool("alpha").build()) {
                shown.append(shown(redis));
            }
            log.taken().forEach(shown::append);
            return shown.toString();
        }
    }

    private static void requireHidden(String what, String config) {
        String shown = shown(config);
        assertTrue(shown.contains(what), shown);
        assertFalse(shown.contains(MARK), shown);
    }

    private static String pool(String directives, String server) {
        return "alpha: {engine: redis, timeout: 700, "
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

    @Test
    void thePasswordOfSentinelsIsShownNowhere() {
        try (WatchedMasters masters = WatchedMasters.start(1, "another")) {
            requireHidden(
                    "no Sentinel", masters.config("timeout: 2000", "sentinel_password: " + MARK));
        }
        try (WatchedMasters masters = WatchedMasters.start(1, MARK)) {
            requireHidden("node-0", masters.config("timeout: 2000", "sentinel_password: " + MARK));
        }
    }

    @Test
    void thePasswordOfAKeyIsShownNowhere() {
        Certificates certificates = new Certificates(folder);
        certificates.issue("client", Certificates.NAMES, 30);
        String[] words = {
            "pkcs8", "-topk8", "-in", certificates.key("client"), "-out", "locked.key"
        };
        String[] all = Arrays.copyOf(words, words.length + 2);
        all[words.length] = "-passout";
        all[words.length + 1] = "pass:" + MARK;
        certificates.openssl(all);
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
        String twice =
                "alpha:\n  redis_auth: " + MARK + "\n  redis_auth: " + MARK + "\n  servers: [x]\n";
        StringWriter trace = new StringWriter();
        assertThrows(
                        ConfigInvalid.class,
                        () -> OneHopClient.builder().configText(twice).pool("alpha").build())
                .printStackTrace(new PrintWriter(trace));
        assertFalse(trace.toString().contains(MARK), trace.toString());
    }
}
