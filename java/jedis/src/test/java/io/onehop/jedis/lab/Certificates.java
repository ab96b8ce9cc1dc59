package io.onehop.jedis.lab;

import redis.clients.jedis.SslOptions;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificates of a test, made by openssl in a folder of their own: a CA, and the certificates that
 * it has issued.
 */
public final class Certificates {
    /** The names in the usual certificate of a node. */
    public static final String NAMES = "DNS:localhost,DNS:node.test,IP:127.0.0.1";

    /** The password of each key store. */
    public static final String PASSPHRASE = "secret";

    private static final String EC = "ec -pkeyopt ec_paramgen_curve:prime256v1";

    private final Path folder;

    public Certificates(Path folder) {
        this.folder = folder;
        openssl(
                "req -x509 -newkey " + EC + " -nodes -days 30 -subj",
                "/CN=ca of " + folder.getFileName(),
                "-keyout",
                key("ca"),
                "-out",
                certificate("ca"));
        issue("node", NAMES, 30);
    }

    /**
     * Makes a key and a certificate that is valid for so many days. Replaces a certificate of the
     * same name.
     */
    public void issue(String name, String names, int days) {
        issue(name, names, days, "ca");
    }

    /**
     * Makes a key and a certificate of an intermediate CA, whose own certificate is added to the
     * file.
     */
    public void issueBy(String issuer, String name, String names, int days) {
        issue(name, names, days, issuer);
        try {
            Files.writeString(
                    folder.resolve(name + ".crt"),
                    Files.readString(folder.resolve(issuer + ".crt")),
                    StandardOpenOption.APPEND);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void issue(String name, String names, int days, String issuer) {
        openssl(
                "req -newkey " + EC + " -nodes -subj /CN=" + name + " -keyout",
                key(name),
                "-out",
                path(name + ".csr"));
        sign(name, names, days, issuer);
    }

    private void sign(String name, String names, int days, String issuer) {
        write(name + ".ext", "subjectAltName=" + names);
        openssl(
                "x509 -req -CAcreateserial -days " + days + " -in",
                path(name + ".csr"),
                "-CA",
                certificate(issuer),
                "-CAkey",
                key(issuer),
                "-extfile",
                path(name + ".ext"),
                "-out",
                certificate(name));
    }

    public String key(String name) {
        return path(name + ".key");
    }

    public String certificate(String name) {
        return path(name + ".crt");
    }

    public String path(String file) {
        return folder.resolve(file).toString();
    }

    public void write(String file, String text) {
        try {
            Files.writeString(folder.resolve(file), text);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Runs openssl. The first argument may have several words, separated by spaces. */
    public void openssl(String words, String... more) {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(words.split(" ")));
        command.addAll(List.of(more));
        try {
            Process process =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .start();
            process.getOutputStream().close();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(command + ": " + said);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /* ---- Servers and clients ---- */

    /** Options of a redis-server that speaks TLS on this port with this certificate. */
    public String[] options(int port, String name, String... more) {
        List<String> options = new ArrayList<>(List.of("tls-port", String.valueOf(port)));
        options.addAll(List.of("tls-cert-file", certificate(name), "tls-key-file", key(name)));
        options.addAll(List.of("tls-ca-cert-file", certificate("ca")));
        if (!List.of(more).contains("tls-auth-clients")) {
            options.addAll(List.of("tls-auth-clients", "no"));
        }
        options.addAll(List.of(more));
        return options.toArray(String[]::new);
    }

    /** A context that trusts this CA. */
    public SSLContext context() {
        return context(trust(), null);
    }

    /** A context that trusts this CA, and shows the certificate of this name. */
    public SSLContext contextOf(String name) {
        return context(trust(), name);
    }

    private KeyStore trust() {
        try (InputStream ca = Files.newInputStream(Path.of(certificate("ca")))) {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(ca));
            return trusted;
        } catch (IOException | GeneralSecurityException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private SSLContext context(KeyStore trusted, String name) {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(name == null ? null : keys(name), trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private KeyManager[] keys(String name) throws IOException, GeneralSecurityException {
        String store = path(name + ".p12");
        openssl(
                "pkcs12 -export -passout pass:" + PASSPHRASE + " -inkey",
                key(name),
                "-in",
                certificate(name),
                "-out",
                store);
        KeyStore keys = KeyStore.getInstance(new File(store), PASSPHRASE.toCharArray());
        KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
        factory.init(keys, PASSPHRASE.toCharArray());
        return factory.getKeyManagers();
    }

    /** Options of Jedis with which this CA is trusted. */
    public SslOptions.Builder options() {
        Path store = folder.resolve("trust.p12");
        try (OutputStream file = Files.newOutputStream(store)) {
            trust().store(file, PASSPHRASE.toCharArray());
        } catch (IOException | GeneralSecurityException failure) {
            throw new IllegalStateException(failure);
        }
        return SslOptions.builder()
                .truststore(store.toFile(), PASSPHRASE.toCharArray())
                .trustStoreType("PKCS12");
    }
}
