package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.onehop.core.ErrorKind;
import io.onehop.jedis.lab.Certificates;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.Relay;
import io.onehop.jedis.lab.ScriptedNode;
import io.onehop.jedis.lab.TlsServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.SslVerifyMode;

import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.stream.Stream;

import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * For every way in which a TLS handshake can fail: the failure names the reason, and no command was
 * sent.
 */
@Timeout(120)
final class TlsFaultsTest {
    @TempDir static Path folder;

    private static final int REPLY_BYTES_MAX = 40; // The most bytes of a record with a short reply.

    private static Certificates certificates;
    private static TlsServer good;
    private static Log log; // Keeps thousands of log lines from the console.

    @BeforeAll
    static void start() {
        log = new Log();
        certificates = new Certificates(folder);
        good = TlsServer.start(certificates, "node");
    }

    @AfterAll
    static void stop() {
        good.close();
        log.close();
    }

    private static OneHopClient.Builder trusting() {
        return OneHopClient.builder().tls(certificates.context());
    }

    /** A builder with this server name for every node. */
    private static OneHopClient.Builder naming(String name) {
        SSLParameters parameters = new SSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(name)));
        return OneHopClient.builder().tls(certificates.options().sslParameters(parameters).build());
    }

    private static OneHopClient.Builder verifying(SslVerifyMode mode) {
        return OneHopClient.builder().tls(certificates.options().sslVerifyMode(mode).build());
    }

    private static OneHopClient client(OneHopClient.Builder builder, String server, int timeoutMs) {
        return Nodes.clientOf(builder, Nodes.configOf(Stream.of(server), "timeout: " + timeoutMs));
    }

    /**
     * The failure of the first call. Its timeout is so long that the deadline is not the reason.
     */
    private static OneHopException failure(OneHopClient.Builder builder, String server) {
        return failure(builder, server, 30_000);
    }

    private static OneHopException failure(
            OneHopClient.Builder builder, String server, int timeoutMs) {
        try (OneHopClient redis = client(builder, server, timeoutMs)) {
            OneHopException failure =
                    assertThrows(OneHopException.class, () -> redis.incr("counter"));
            assertFalse(failure.mayHaveExecuted(), failure::getMessage);
            assertEquals(server.substring(0, server.length() - 2), failure.getNode());
            return failure;
        }
    }

    private static void requireReason(String reason, OneHopException failure) {
        assertBegins(reason, failure);
        assertFalse(failure.getMessage().contains("\n"));
    }

    private static void requireServed(OneHopClient.Builder builder, String server) {
        try (OneHopClient redis = client(builder, server, 30000)) {
            redis.set("served", "yes");
            assertEquals("yes", redis.get("served"));
        }
    }

    /* ---- What the client finds in the node's certificate ---- */

    @Test
    void anExpiredCertificate() throws InterruptedException {
        certificates.issue("expired", Certificates.NAMES, 0);
        Thread.sleep(1100); // The certificate is valid for less than a second.
        try (TlsServer server = TlsServer.start(certificates, "expired")) {
            requireReason(
                    "The node's certificate has expired", failure(trusting(), server.server()));
            requireReason(
                    "The node's certificate has expired",
                    failure(verifying(SslVerifyMode.CA), server.server()));
            requireServed(verifying(SslVerifyMode.INSECURE), server.server());
        }
    }

    @Test
    void aCaThatHasExpired() throws InterruptedException {
        certificates.issue("issuer", "DNS:issuer\nbasicConstraints=critical,CA:TRUE", 0);
        certificates.issueBy("issuer", "issued", Certificates.NAMES, 30);
        Thread.sleep(1100);
        try (TlsServer server = TlsServer.start(certificates, "issued")) {
            requireReason(
                    "The certificate of the node's CA has expired",
                    failure(trusting(), server.server()));
        }
    }

    @Test
    void aCertificateOfAnUnknownCa() throws NoSuchAlgorithmException {
        SSLContext system = SSLContext.getDefault();
        requireReason(
                "The node's certificate was issued by an unknown CA",
                failure(OneHopClient.builder().tls(system), good.server()));
    }

    @Test
    void aCertificateForAnotherName() {
        certificates.issue("other", "DNS:other.test,DNS:*.wild.test", 30);
        try (TlsServer server = TlsServer.start(certificates, "other")) {
            requireReason(
                    "The node's certificate is not valid for 127.0.0.1",
                    failure(trusting(), server.server()));
            requireReason(
                    "The node's certificate is not valid for a.b.wild.test",
                    failure(naming("a.b.wild.test"), server.server()));
            requireServed(naming("other.test"), server.server());
            requireServed(naming("a.wild.test"), server.server());
            requireServed(verifying(SslVerifyMode.CA), server.server());
        }
    }

    @Test
    void aHostNameIsChecked() {
        certificates.issue("local", "DNS:localhost", 30);
        try (TlsServer server = TlsServer.start(certificates, "local")) {
            requireServed(trusting(), "localhost:" + server.port() + ":1");
            requireReason(
                    "The node's certificate is not valid for 127.0.0.1",
                    failure(trusting(), server.server()));
        }
    }

    /* ---- What the node refuses ---- */

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aNodeThatWantsAClientCertificate(String version) {
        certificates.issue("client", "DNS:client", 30);
        try (TlsServer server =
                TlsServer.start(
                        certificates,
                        "node",
                        "tls-auth-clients",
                        "yes",
                        "tls-protocols",
                        version)) {
            for (int i = 0; i < 20; i++) {
                requireReason(
                        "The node requires a client certificate",
                        failure(trusting(), server.server()));
            }
            requireServed(
                    OneHopClient.builder().tls(certificates.contextOf("client")), server.server());
        }
    }

    @Test
    void aNodeWithoutACommonVersionOfTls() {
        SSLParameters old = new SSLParameters();
        old.setProtocols(new String[] {"TLSv1.2"});
        try (TlsServer server = TlsServer.start(certificates, "node", "tls-protocols", "TLSv1.3")) {
            requireReason(
                    "The TLS handshake failed (",
                    failure(
                            OneHopClient.builder()
                                    .tls(certificates.options().sslParameters(old).build()),
                            server.server()));
        }
    }

    @Test
    void optionsThatCannotBeRead() {
        ConfigInvalid failure =
                assertThrows(
                        ConfigInvalid.class,
                        () ->
                                OneHopClient.builder()
                                        .tls(
                                                certificates
                                                        .options()
                                                        .trustStoreType("nonsense")
                                                        .build()));
        requireReason("The TLS options are not valid: ", failure);
    }

    /* ---- What is not TLS ---- */

    @Test
    void aNodeThatAnswersInPlainText() {
        try (ScriptedNode node =
                ScriptedNode.start(talk -> talk.send("-ERR what?\r\n").awaitClose())) {
            requireReason(
                    "The node speaks plain text, not TLS", failure(trusting(), node.server()));
        }
    }

    @Test
    void aPlainRedisWaitsForTheRestOfALineUntilTheDeadline() {
        try (RedisServer plain = RedisServer.start()) {
            OneHopException failure = failure(trusting(), plain.server(), 3000);
            requireReason("TLS handshake not finished within 3000 ms", failure);
            assertEquals(ErrorKind.DEADLINE_EXCEEDED, failure.getKind());
        }
    }

    @Test
    void aNodeThatHangsAfterTheClientHello() {
        try (ScriptedNode node = ScriptedNode.start(ScriptedNode.Talk::awaitClose)) {
            requireReason(
                    "TLS handshake not finished within 3000 ms",
                    failure(trusting(), node.server(), 3000));
        }
    }

    @Test
    void aBatchOverANodeThatHangsReturnsWhatTheOthersAnswer() {
        try (ScriptedNode node = ScriptedNode.start(ScriptedNode.Talk::awaitClose);
                OneHopClient redis =
                        Nodes.clientOf(
                                trusting(),
                                Nodes.configOf(
                                        Stream.of(node.server(), good.server()),
                                        "timeout: 4000"))) {
            String here = Nodes.keyOn(redis, good.node());
            String there = Nodes.keyOn(redis, node.node());
            Callers.answered(() -> redis.get(here)); // The batch needs no handshake there.
            PartialBatch partial =
                    assertThrows(
                            PartialBatch.class,
                            () -> {
                                try (var batch = redis.pipelined()) {
                                    batch.set(here, "yes");
                                    batch.set(there, "no");
                                    batch.sync();
                                }
                            });
            OneHopException failure = partial.getFailures().get(node.node());
            assertFalse(failure.mayHaveExecuted());
            requireReason("TLS handshake not finished within 4000 ms", failure);
            assertEquals("yes", Callers.answered(() -> redis.get(here)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    @Timeout(1200)
    void aResetAtEachByteOfTheHandshake(String version) {
        try (TlsServer server = TlsServer.start(certificates, "node", "tls-protocols", version);
                Relay relay = Relay.to(server.port())) {
            requireReply(relay);
            long whole = relay.given();
            long handshake = whole - 2 * REPLY_BYTES_MAX; // Signatures differ by some bytes.
            for (long cut = 0; cut < handshake; cut++) {
                relay.limit(cut);
                String at = version + ", byte " + cut + " of " + whole + ": ";
                try (OneHopClient redis = client(relay)) {
                    OneHopException failure =
                            assertThrows(OneHopException.class, () -> redis.incr("never"), at);
                    assertEquals(ErrorKind.NODE_DOWN, failure.getKind(), at + failure);
                    assertFalse(failure.mayHaveExecuted(), at + failure);
                }
            }
            relay.limitNothing();
            requireReply(relay);
        }
    }

    private static OneHopClient client(Relay relay) {
        return client(trusting(), relay.server(), 30000);
    }

    private static void requireReply(Relay relay) {
        try (OneHopClient redis = client(relay)) {
            assertNull(redis.get("never"));
        }
    }
}
