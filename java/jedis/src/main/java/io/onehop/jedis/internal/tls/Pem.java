package io.onehop.jedis.internal.tls;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Reads PEM files: certificates, and a private key.
 *
 * <p>In: a path. Out: what the file holds, or an exception whose message says what is wrong with
 * the file. A message never contains a part of a key or of a passphrase.
 */
final class Pem {
    /*
     * The JDK reads keys only as PKCS#8. Keys in the older forms, PKCS#1 ("RSA PRIVATE KEY") and
     * SEC 1 ("EC PRIVATE KEY"), are the content of a PKCS#8 key, so a header is put before them.
     * The JDK also decrypts PKCS#8 ("ENCRYPTED PRIVATE KEY"). It cannot decrypt the older form,
     * whose header says "Proc-Type: 4,ENCRYPTED".
     */
    private static final int FILE_BYTES_MAX = 1 << 20;

    private static final Pattern BLOCK =
            Pattern.compile(
                    "-----BEGIN ([A-Z0-9 ]+)-----\\s*(.*?)-----END \\1-----", Pattern.DOTALL);

    private static final byte[] VERSION_0 = {2, 1, 0};
    /* The object identifiers rsaEncryption, with its parameters NULL, and ecPublicKey. */
    private static final byte[] RSA = {
        6, 9, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 1, 1, 5, 0
    };
    private static final byte[] EC = {6, 7, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 2, 1};

    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 4;
    private static final int PARAMETERS = 0xa0;

    private Pem() {}

    /** The certificates of the file, at least one, in its order. */
    static List<X509Certificate> certificates(Path file)
            throws IOException, GeneralSecurityException {
        List<X509Certificate> found = new ArrayList<>();
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        Matcher block = BLOCK.matcher(text(file));
        while (block.find()) {
            if (block.group(1).endsWith("CERTIFICATE")) {
                found.add(
                        (X509Certificate)
                                factory.generateCertificate(
                                        new ByteArrayInputStream(bytes(block.group(2)))));
            }
        }
        if (found.isEmpty()) {
            throw new CertificateException("it has no certificate in PEM");
        }
        return found;
    }

    /** The first private key of the file. */
    static PrivateKey key(Path file, @Nullable String passphrase)
            throws IOException, GeneralSecurityException {
        Matcher block = BLOCK.matcher(text(file));
        while (block.find()) {
            String content = block.group(2);
            switch (block.group(1)) {
                case "PRIVATE KEY":
                    return key(bytes(content));
                case "ENCRYPTED PRIVATE KEY":
                    return key(decrypted(bytes(content), passphrase));
                case "RSA PRIVATE KEY":
                    return key(pkcs8(RSA, bytes(content)));
                case "EC PRIVATE KEY":
                    byte[] key = bytes(content);
                    return key(pkcs8(joined(EC, curve(key)), key));
                default: // For example EC PARAMETERS, or a certificate in the same file.
            }
        }
        throw new InvalidKeyException("it has no private key in PEM");
    }

    private static String text(Path file) throws IOException {
        try (InputStream bytes = Files.newInputStream(file)) {
            return new String(bytes.readNBytes(FILE_BYTES_MAX), StandardCharsets.ISO_8859_1);
        }
    }

    private static byte[] bytes(String base64) throws GeneralSecurityException {
        if (base64.startsWith("Proc-Type:")) {
            throw new InvalidKeyException(
                    "its key is encrypted in a form that Java cannot read: convert it with"
                            + " openssl pkcs8 -topk8");
        }
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException notBase64) {
            throw new InvalidKeyException("its PEM is damaged", notBase64);
        }
    }

    private static byte[] decrypted(byte[] encrypted, @Nullable String passphrase)
            throws IOException, GeneralSecurityException {
        if (passphrase == null) {
            throw new InvalidKeyException("its key is encrypted, and tls_key_file_pass is not set");
        }
        PBEKeySpec password = new PBEKeySpec(passphrase.toCharArray());
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(encrypted);
            // For PBES2 the name of the algorithm is only in its parameters.
            String named = info.getAlgParameters().toString();
            String algorithm = named.startsWith("PBE") ? named : info.getAlgName();
            Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    SecretKeyFactory.getInstance(algorithm).generateSecret(password),
                    info.getAlgParameters());
            return info.getKeySpec(cipher).getEncoded();
        } catch (InvalidKeyException | InvalidKeySpecException wrong) {
            throw new InvalidKeyException("tls_key_file_pass does not decrypt its key", wrong);
        } finally {
            password.clearPassword();
        }
    }

    private static PrivateKey key(byte[] pkcs8) throws GeneralSecurityException {
        for (String algorithm : new String[] {"RSA", "EC", "EdDSA", "RSASSA-PSS"}) {
            try {
                return KeyFactory.getInstance(algorithm)
                        .generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException another) {
                // The key is of another algorithm.
            }
        }
        throw new InvalidKeyException("its key is neither RSA nor EC nor Ed25519");
    }

    /* ---- The older forms, as PKCS#8 ---- */

    private static byte[] pkcs8(byte[] algorithm, byte[] key) {
        return element(
                SEQUENCE, joined(VERSION_0, element(SEQUENCE, algorithm), element(OCTETS, key)));
    }

    /**
     * The curve of a SEC 1 key: SEQUENCE { version, OCTET STRING, [0] { curve }, ... }. All lengths
     * in it but the first are below 128.
     */
    private static byte[] curve(byte[] sec1) throws InvalidKeyException {
        try {
            int at = 2 + ((sec1[1] & 0x80) == 0 ? 0 : sec1[1] & 0x7f);
            while ((sec1[at] & 0xff) != PARAMETERS) {
                at += 2 + sec1[at + 1];
            }
            byte[] curve = new byte[sec1[at + 1]];
            System.arraycopy(sec1, at + 2, curve, 0, curve.length);
            return curve;
        } catch (IndexOutOfBoundsException | NegativeArraySizeException damaged) {
            throw new InvalidKeyException("its EC key does not name its curve", damaged);
        }
    }

    private static byte[] element(int type, byte[] content) {
        int size = content.length;
        byte[] head;
        if (size < 0x80) {
            head = new byte[] {(byte) type, (byte) size};
        } else if (size < 0x100) {
            head = new byte[] {(byte) type, (byte) 0x81, (byte) size};
        } else {
            head = new byte[] {(byte) type, (byte) 0x82, (byte) (size >> 8), (byte) size};
        }
        return joined(head, content);
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
