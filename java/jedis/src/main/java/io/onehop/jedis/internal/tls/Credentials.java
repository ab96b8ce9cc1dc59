package io.onehop.jedis.internal.tls;

import io.onehop.core.topology.Directive;
import io.onehop.core.topology.DirectiveValue.TlsVerify;
import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.X509Certificate;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Makes a context of a server pool's files: which certificates are trusted, and which certificate
 * and key this client shows.
 *
 * <p>In: the server pool. Out: a context, or an exception that names the directive and the file,
 * and says what is wrong with it.
 */
final class Credentials {
    private static final char[] IN_MEMORY = "in memory only".toCharArray();

    private Credentials() {}

    static SSLContext contextOf(ServerPool pool) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(pool), trust(pool), null);
            return context;
        } catch (GeneralSecurityException failure) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    /**
     * The certificates to trust; {@code null}: those that the JDK trusts, in cacerts or
     * javax.net.ssl.trustStore.
     */
    private static TrustManager @Nullable [] trust(ServerPool pool)
            throws IOException, GeneralSecurityException {
        String file = pool.text(Directive.TLS_CA_CERT_FILE);
        if (pool.tlsVerify() == TlsVerify.NONE) {
            return new TrustManager[] {new TrustAll()};
        }
        if (file == null) {
            return null;
        }
        KeyStore trusted = empty();
        int count = 0;
        for (X509Certificate each : read(Directive.TLS_CA_CERT_FILE, file, Pem::certificates)) {
            trusted.setCertificateEntry("ca" + count, each);
            count++;
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        return factory.getTrustManagers();
    }

    private static KeyManager @Nullable [] keys(ServerPool pool)
            throws IOException, GeneralSecurityException {
        String certificateFile = pool.text(Directive.TLS_CERT_FILE);
        String keyFile = pool.text(Directive.TLS_KEY_FILE);
        if (certificateFile == null || keyFile == null) {
            return null;
        }
        List<X509Certificate> chain =
                read(Directive.TLS_CERT_FILE, certificateFile, Pem::certificates);
        PrivateKey key =
                read(Directive.TLS_KEY_FILE, keyFile, file -> keyOf(file, pool, chain.get(0)));
        KeyStore own = empty();
        own.setKeyEntry("client", key, IN_MEMORY, chain.toArray(X509Certificate[]::new));
        KeyManagerFactory factory =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(own, IN_MEMORY);
        return factory.getKeyManagers();
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private static PrivateKey keyOf(Path file, ServerPool pool, X509Certificate certificate)
            throws IOException, GeneralSecurityException {
        PrivateKey key = Pem.key(file, pool.text(Directive.TLS_KEY_FILE_PASS));
        requirePair(key, certificate);
        return key;
    }

    /**
     * Requires that key and certificate belong together. Otherwise the JDK would show the
     * certificate all the same, and the node would end the handshake.
     */
    private static void requirePair(PrivateKey key, X509Certificate certificate)
            throws GeneralSecurityException {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> key.getAlgorithm();
                };
        boolean isPair;
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            isPair = signature.verify(signed);
        } catch (InvalidKeyException | SignatureException other) {
            isPair = false;
        }
        if (!isPair) {
            throw new InvalidKeyException("its key is not that of the certificate");
        }
    }

    private interface Reader<T> {
        T read(Path file) throws IOException, GeneralSecurityException;
    }

    private static <T> T read(Directive directive, String file, Reader<T> reader)
            throws IOException {
        String reason;
        Exception cause;
        try {
            return reader.read(Path.of(file));
        } catch (NoSuchFileException missing) {
            reason = "there is no such file";
            cause = missing;
        } catch (AccessDeniedException denied) {
            reason = "this process may not read it";
            cause = denied;
        } catch (IOException | GeneralSecurityException | RuntimeException bad) {
            reason = bad.getMessage();
            cause = bad;
        }
        throw new IOException(directive.label() + " " + file + ": " + reason, cause);
    }

    /** {@code tls_verify: none}. */
    private static final class TrustAll extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
