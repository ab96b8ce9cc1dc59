/*
 * The result of OpenSSL's check says what was wrong with a certificate. Its queue of errors says
 * everything else, such as alerts of the node, or bytes from it that are not TLS.
 */
#include <string.h>

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include "engine/tls/tls_internal.h"

const char *oh_tls_reason_text(const char *otherwise)
{
    unsigned long first = ERR_peek_error();
    const char *text = ERR_GET_LIB(first) == ERR_LIB_SYS ? strerror(ERR_GET_REASON(first))
                                                         : ERR_reason_error_string(first);

    return text ? text : otherwise;
}

/* ---- What the client finds in the node's certificate ---- */

static bool is_of_unknown_issuer(long found)
{
    return found == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT ||
           found == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
           found == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE ||
           found == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN ||
           found == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT ||
           found == X509_V_ERR_CERT_SIGNATURE_FAILURE || found == X509_V_ERR_CERT_UNTRUSTED;
}

static void judge_certificate(const oh_tls_channel *channel, long found, oh_failure *failure)
{
    oh_quoted name;

    if (found == X509_V_ERR_CERT_HAS_EXPIRED && channel->is_of_ca) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_CA_EXPIRED);
    } else if (found == X509_V_ERR_CERT_HAS_EXPIRED) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_EXPIRED);
    } else if (found == X509_V_ERR_CERT_NOT_YET_VALID) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_NOT_YET_VALID);
    } else if (is_of_unknown_issuer(found)) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_UNKNOWN_CA);
    } else if (found == X509_V_ERR_HOSTNAME_MISMATCH || found == X509_V_ERR_IP_ADDRESS_MISMATCH) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_OTHER_NAME,
            oh_quote_name(&name, channel->peer->name, strlen(channel->peer->name)));
    } else {
        oh_failure_set(
            failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_FAILED, X509_verify_cert_error_string(found));
    }
}

/* ---- What the node refuses ---- */

void oh_tls_reason_note_alert(oh_tls_channel *channel)
{
    int reason = ERR_GET_REASON(ERR_peek_error());

    if (ERR_GET_LIB(ERR_peek_error()) == ERR_LIB_SSL && reason > SSL_AD_REASON_OFFSET &&
        reason < SSL_AD_REASON_OFFSET + 256) {
        channel->alert = reason - SSL_AD_REASON_OFFSET;
    }
}

static bool is_of_certificate(int alert)
{
    return alert == SSL_AD_CERTIFICATE_REQUIRED || alert == SSL_AD_BAD_CERTIFICATE ||
           alert == SSL_AD_UNSUPPORTED_CERTIFICATE || alert == SSL_AD_CERTIFICATE_REVOKED ||
           alert == SSL_AD_CERTIFICATE_EXPIRED || alert == SSL_AD_CERTIFICATE_UNKNOWN ||
           alert == SSL_AD_UNKNOWN_CA || alert == SSL_AD_ACCESS_DENIED;
}

bool oh_tls_reason_is_certificate(const oh_tls_channel *channel, oh_failure *failure)
{
    bool has_none = SSL_get_certificate(channel->ssl) == NULL;
    bool is_wanted =
        channel->is_asked && has_none &&
        (is_of_certificate(channel->alert) || (channel->alert == SSL_AD_HANDSHAKE_FAILURE));

    if (is_wanted) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_CERTIFICATE_WANTED);
    } else if (is_of_certificate(channel->alert)) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_FAILED,
            SSL_alert_desc_string_long(channel->alert));
    }
    return is_wanted || is_of_certificate(channel->alert);
}

void oh_tls_reason_of_handshake(oh_tls_channel *channel, oh_failure *failure)
{
    long found = SSL_get_verify_result(channel->ssl);

    oh_tls_reason_note_alert(channel);
    if (channel->is_plain) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_PLAIN_TEXT);
    } else if (found != X509_V_OK && SSL_get_verify_mode(channel->ssl) != SSL_VERIFY_NONE) {
        judge_certificate(channel, found, failure);
    } else if (oh_tls_reason_is_certificate(channel, failure)) {
        return;
    } else if (!channel->alert && (channel->has_ended || channel->error ||
                                      SSL_get_shutdown(channel->ssl) & SSL_RECEIVED_SHUTDOWN)) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_CUT_OFF);
    } else {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_FAILED,
            oh_tls_reason_text(OH_REASON_TLS_UNEXPLAINED));
    }
}
