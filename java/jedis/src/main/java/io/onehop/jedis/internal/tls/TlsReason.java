package io.onehop.jedis.internal.tls;

import io.onehop.core.base.Message;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.failure.TlsFailure;

import java.security.InvalidAlgorithmParameterException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;

import javax.net.ssl.SSLException;

/**
 * Why a handshake failed, from what the JDK threw.
 *
 * <p>What was wrong with the node's certificate can be seen from the type of a cause. Which alert
 * the node has sent can be seen only from the text.
 */
public final class TlsReason {
    private TlsReason() {}

    /**
     * The failure. {@code name}: the name that the certificate must carry. {@code isNameless}: the
     * node has shown its certificate, and this client has none to show.
     */
    public static TlsFailure of(SSLException thrown, String name, boolean isNameless) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof CertPathValidatorException broken && isOfExpiredCa(broken)) {
                return new TlsFailure(Message.TLS_CA_EXPIRED, thrown);
            }
            if (each instanceof CertificateExpiredException) {
                return new TlsFailure(Message.TLS_EXPIRED, thrown);
            }
            if (each instanceof CertificateNotYetValidException) {
                return new TlsFailure(Message.TLS_NOT_YET_VALID, thrown);
            }
            if (isOfUnknownIssuer(each)) {
                return new TlsFailure(Message.TLS_UNKNOWN_CA, thrown);
            }
            if (each.getClass() == CertificateException.class && isOfName(each)) {
                return new TlsFailure(Message.TLS_OTHER_NAME, thrown, Shown.of(name));
            }
            if (String.valueOf(each.getMessage()).startsWith("Illegal given domain name")) {
                return new TlsFailure(Message.TLS_NAME_UNFIT, thrown, Shown.of(name));
            }
        }
        return ofAlert(thrown, isNameless);
    }

    /**
     * True if a certificate other than the node's own has expired: the path begins with the node's
     * certificate.
     */
    private static boolean isOfExpiredCa(CertPathValidatorException broken) {
        return broken.getReason() == BasicReason.EXPIRED && broken.getIndex() > 0;
    }

    /**
     * True if this client does not trust the issuer. If it trusts no CA at all, as with a JDK that
     * has none installed, the cause is an InvalidAlgorithmParameterException.
     */
    private static boolean isOfUnknownIssuer(Throwable cause) {
        return cause instanceof CertPathBuilderException
                || cause instanceof InvalidAlgorithmParameterException
                || cause instanceof CertPathValidatorException broken
                        && (broken.getReason() == BasicReason.INVALID_SIGNATURE
                                || "Path does not chain with any of the trust anchors"
                                        .equals(broken.getMessage()));
    }

    private static boolean isOfName(Throwable cause) {
        String text = String.valueOf(cause.getMessage());
        return text.startsWith("No subject alternative") || text.startsWith("No name matching");
    }

    private static TlsFailure ofAlert(SSLException thrown, boolean isNameless) {
        String text = String.valueOf(thrown.getMessage());
        boolean isOfNode = text.contains("Received fatal alert");
        boolean isWanted =
                text.contains("certificate_required")
                        || isNameless
                                && (text.contains("handshake_failure")
                                        || text.contains("bad_certificate"));
        return isOfNode && isWanted
                ? new TlsFailure(Message.TLS_CERTIFICATE_WANTED, thrown)
                : new TlsFailure(Message.TLS_FAILED, thrown, Shown.of(text));
    }
}
