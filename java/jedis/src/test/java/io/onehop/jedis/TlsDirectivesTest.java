package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Certificates;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.TlsServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/** The directives tls and tls_... of a configuration, with real servers. */
final class TlsDirectivesTest {
    private static final String PASS = "open sesame";

    @TempDir static Path folder;

    private static Certificates certificates;
    private static TlsServer open;
    private static TlsServer strict; // A server that requires a client certificate.

    @BeforeAll
    static void start() {
        certificates = new Certificates(folder);
        certificates.issue("client", "DNS:client", 30);
        open = TlsServer.start(certificates, "node");
        strict = TlsServer.start(certificates, "node", "tls-auth-clients", "yes");
    }

    @AfterAll
    static void stop() {
        open.close();
        strict.close();
    }

    private static String trusting() {
        return "tls_ca_cert_file: " + certificates.certificate("ca");
    }

    private static OneHopClient client(TlsServer server, String... directives) {
        return Nodes.clientOf(
                Stream.of(server.server()),
                Stream.concat(Stream.of("tls: true"), Stream.of(directives))
                        .toArray(String[]::new));
    }

    private static void requireServed(TlsServer server, String... directives) {
        try (OneHopClient redis = client(server, directives)) {
            redis.set("served", "yes");
            assertEquals("yes", redis.get("served"));
        }
    }

    private static String refusal(TlsServer server, String... directives) {
        try (OneHopClient redis = client(server, directives)) {
            OneHopException failure =
                    assertThrows(OneHopException.class, () -> redis.incr("counter"));
            assertFalse(failure.mayHaveExecuted(), failure::getMessage);
            assertFalse(failure.getMessage().contains(PASS), failure::getMessage);
            return failure.getMessage();
        }
    }

    private static void requireRefusal(String expected, TlsServer server, String... directives) {
        String message = refusal(server, directives);
        assertTrue(message.contains(expected), message);
    }

    private static String[] showing(String key, String... more) {
        return Stream.concat(
                        Stream.of(
                                trusting(),
                                "tls_cert_file: " + certificates.certificate("client"),
                                "tls_key_file: " + certificates.path(key)),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    @Test
    void theAuthoritiesOfAFileAreTrusted() {
        requireServed(open, trusting());
        requireRefusal("The node's certificate was issued by an unknown CA", open);
    }

    @Test
    void aClientShowsItsCertificateInWhateverFormItsKeyIs() {
        String in = certificates.key("client");
        certificates.openssl("ec -out sec1.key -in", in);
        certificates.openssl("pkcs8 -topk8 -out secret.key -in", in, "-passout", "pass:" + PASS);
        requireServed(strict, showing("client.key"));
        requireServed(strict, showing("sec1.key"));
        requireServed(strict, showing("secret.key", "tls_key_file_pass: " + PASS));
        requireRefusal("The node requires a client certificate", strict, trusting());
        requireRefusal("tls_key_file_pass is not set", strict, showing("secret.key"));
        requireRefusal(
                "tls_key_file_pass does not decrypt its key",
                strict,
                showing("secret.key", "tls_key_file_pass: " + PASS + "!"));
    }

    @Test
    void anRsaKeyInTheOldFormatIsRead() {
        certificates.openssl(
                "req -newkey rsa:2048 -nodes -keyout rsa.key -out rsa.csr -subj /CN=rsa");
        certificates.openssl("rsa -traditional -in rsa.key -out pkcs1.key");
        certificates.openssl(
                "x509 -req -in rsa.csr -CAcreateserial -out rsa.crt -CA",
                certificates.certificate("ca"),
                "-CAkey",
                certificates.key("ca"));
        requireServed(
                strict,
                trusting(),
                "tls_cert_file: " + certificates.path("rsa.crt"),
                "tls_key_file: " + certificates.path("pkcs1.key"));
        requireRefusal("its key is not that of the certificate", strict, showing("pkcs1.key"));
    }

    @Test
    void aFileThatIsMissingOrNotPemIsNamed() {
        certificates.write("noise.pem", "noise");
        requireRefusal(
                "tls_ca_cert_file /nowhere/ca.pem: there is no such file",
                open,
                "tls_ca_cert_file: /nowhere/ca.pem");
        requireRefusal(
                "it has no certificate in PEM",
                open,
                "tls_ca_cert_file: " + certificates.path("noise.pem"));
        requireRefusal("it has no private key in PEM", strict, showing("noise.pem"));
    }

    @Test
    void theNameThatIsCheckedIsTlsServerNameOrTheHost() {
        certificates.issue("named", "DNS:redis.test", 30);
        try (TlsServer named = TlsServer.start(certificates, "named")) {
            requireRefusal("is not valid for 127.0.0.1", named, trusting());
            requireRefusal(
                    "is not valid for other.test",
                    named,
                    trusting(),
                    "tls_server_name: other.test");
            requireServed(named, trusting(), "tls_server_name: redis.test");
            requireServed(named, trusting(), "tls_verify: ca");
        }
    }

    /** PHP accepts such a name. The JDK never does, whatever the certificate says. */
    @Test
    void theFailureSaysThatTheJdkAcceptsNoNameWithAnUnderscore() {
        certificates.issue("underscore", "DNS:redis_1", 30);
        try (TlsServer named = TlsServer.start(certificates, "underscore")) {
            String[] naming = {trusting(), "tls_server_name: redis_1"};
            requireRefusal("The JDK cannot check a certificate for redis_1, node", named, naming);
            requireServed(named, trusting(), "tls_server_name: redis_1", "tls_verify: ca");
        }
    }

    @Test
    void withoutVerificationEveryCertificateIsTakenAndTheLogSaysSoOnce() {
        try (Log log = new Log();
                OneHopClient redis = client(open, "tls_verify: none", "pool_size: 4")) {
            for (int i = 0; i < 20; i++) {
                redis.set("key:" + i, "value");
            }
            assertEquals(
                    1, log.taken().stream().filter(l -> l.contains("any server can pose")).count());
        }
        requireRefusal("unknown CA", open, "tls_verify: ca");
    }

    @Test
    void aChangedFileOfTrustedCertificatesIsReadAgain(@TempDir Path live) throws Exception {
        Certificates later = new Certificates(Files.createDirectory(live.resolve("later")));
        Path trusted = live.resolve("ca.pem");
        Files.copy(Path.of(certificates.certificate("ca")), trusted);
        try (TlsServer renewed = TlsServer.start(later, "node");
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(open.server() + " one", renewed.server() + " two"),
                                "tls: true",
                                "tls_ca_cert_file: " + trusted)) {
            String one = Nodes.keyOn(redis, "one");
            String two = Nodes.keyOn(redis, "two");
            redis.set(one, "1");
            assertThrows(OneHopException.class, () -> redis.set(two, "2"));
            replace(trusted, "noise");
            Thread.sleep(1100);
            assertThrows(OneHopException.class, () -> redis.set(two, "2"));
            replace(trusted, Files.readString(Path.of(later.certificate("ca"))));
            requireSoon(() -> redis.set(two, "2"));
            assertEquals("2", redis.get(two));
            assertEquals("1", redis.get(one)); // The connection to this node was open already.
        }
    }

    private static void replace(Path file, String text) throws IOException {
        Path next = file.resolveSibling("next.pem");
        Files.writeString(next, text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Repeats a call: it succeeds after the files were read again, and when the node rests no
     * longer.
     */
    private static void requireSoon(Runnable call) throws InterruptedException {
        for (int i = 0; ; i++) {
            try {
                call.run();
                return;
            } catch (OneHopException notYet) {
                if (i == 300) {
                    throw notYet;
                }
                Thread.sleep(100);
            }
        }
    }

    @Test
    void aChangedFileTurnsEncryptionOnWithoutARestart(@TempDir Path live) throws Exception {
        Path file = live.resolve("onehop.yml");
        String plain = "alpha:\n  pool_size: 4\n  timeout: 30000\n  servers:\n  - %s node\n";
        Files.writeString(file, plain.formatted("127.0.0.1:" + open.redis().port()));
        try (OneHopClient redis = Nodes.clientOf(file)) {
            redis.set("before", "1");
            String next =
                    plain.formatted(open.node())
                            .replace("  servers", "  tls: true\n  " + trusting() + "\n  servers");
            replace(file, next);
            RedisCluster.await(
                    "the new file is used",
                    () -> redis.topology().nodes().get(0).address().equals(open.node()));
            assertEquals("1", redis.get("before"));
        }
    }
}
