package io.onehop.jedis.internal.tls;

import io.onehop.core.base.Words;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.DirectiveValue.TlsVerify;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.failure.TlsFailure;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.util.List;

import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/**
 * TLS of one server pool: makes the engine of each new connection.
 *
 * <p>All engines share one context: the caller's, or the context of the server pool's files. So a
 * later handshake with the same node resumes the session of an earlier one. Any thread.
 */
public final class Tls {
    private interface Source {
        SSLContext context() throws TlsFailure;
    }

    private static final System.Logger LOG = System.getLogger("io.onehop");
    private static final String NAMES_OF_HTTPS = "HTTPS";
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
    private static final int PORTS = 1 << 16;

    private final Source source;
    private final @Nullable SSLParameters given;
    private final boolean checksNames;
    // The name that certificates must have, instead of the node's host; null: the host.
    private final @Nullable String name;

    private Tls(
            Source source,
            @Nullable SSLParameters given,
            boolean checksNames,
            @Nullable String name) {
        this.source = source;
        this.given = given;
        this.checksNames = checksNames;
        this.name = name;
    }

    /**
     * TLS of a context. {@code given}: the caller's parameters; a server name in them is the name
     * of every node. {@code checksNames}: whether a certificate must be for the host of its node.
     * The context's trust managers check who issued it.
     */
    public static Tls of(SSLContext context, @Nullable SSLParameters given, boolean checksNames) {
        String name = given == null ? null : nameIn(given.getServerNames());
        return new Tls(() -> context, given, checksNames, name);
    }

    /** TLS by the directives of a server pool that has {@code tls: true}. */
    static Tls of(ServerPool pool) {
        if (pool.tlsVerify() == TlsVerify.NONE) {
            LOG.log(Level.WARNING, String.format(Words.LOG_TLS_NONE, Shown.of(pool.name())));
        }
        SSLParameters parameters = new SSLParameters();
        parameters.setProtocols(PROTOCOLS);
        boolean checksNames = pool.tlsVerify() == TlsVerify.FULL;
        return new Tls(
                new TlsFiles(pool)::context,
                parameters,
                checksNames,
                pool.text(Directive.TLS_SERVER_NAME));
    }

    private static @Nullable String nameIn(@Nullable List<SNIServerName> names) {
        return names != null && !names.isEmpty() && names.get(0) instanceof SNIHostName first
                ? first.getAsciiName()
                : null;
    }

    /** The name that the certificate of a node at this host must carry. */
    public String nameOf(String host) {
        return name == null ? host : name;
    }

    /** The engine of a new connection to the node at this host and port. */
    public SSLEngine engine(String host, int port) throws TlsFailure {
        /*
         * The JDK finds sessions by name and port. Nodes that share a name must differ in the
         * port, or each would be offered the sessions of the others.
         */
        int place = name == null ? port : Math.floorMod(31 * host.hashCode() + port, PORTS);
        SSLEngine engine = source.context().createSSLEngine(nameOf(host), place);
        engine.setUseClientMode(true);
        if (given != null) {
            engine.setSSLParameters(given);
        }
        SSLParameters parameters = engine.getSSLParameters(); // A copy of this engine's own.
        parameters.setEndpointIdentificationAlgorithm(checksNames ? NAMES_OF_HTTPS : "");
        if (!isAddress(nameOf(host))) {
            parameters.setServerNames(serverNames(nameOf(host)));
        }
        engine.setSSLParameters(parameters);
        return engine;
    }

    /** The names for SNI: none for a host that SNI cannot name, such as an address. */
    private static List<SNIServerName> serverNames(String host) {
        try {
            return List.of(new SNIHostName(host));
        } catch (IllegalArgumentException notInSni) {
            return List.of();
        }
    }

    private static boolean isAddress(String host) {
        return host.indexOf(':') >= 0 || host.matches("[0-9.]+");
    }
}
