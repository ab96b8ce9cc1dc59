/*
 * Internal to room tls. Each file uses only those above it in this list:
 *
 *     tls_socket    how OpenSSL sends and receives
 *     tls_reason    why a handshake failed
 *     tls_settings  settings and files of certificates, and contexts made of them
 *     tls_channel   handshake, receiving and sending over one socket
 */
#ifndef OH_ENGINE_TLS_INTERNAL_H
#define OH_ENGINE_TLS_INTERNAL_H

#include <openssl/ssl.h>

#include "engine/tls/tls.h"

/* The texts of the settings, in the order of `tls_...` in spec/config: files first. */
typedef enum oh_tls_text {
    OH_TLS_CA_FILE,
    OH_TLS_CERT_FILE,
    OH_TLS_KEY_FILE,
    OH_TLS_FILES_COUNT,
    OH_TLS_KEY_PASS = OH_TLS_FILES_COUNT,
    OH_TLS_SERVER_NAME,
    OH_TLS_TEXTS_COUNT
} oh_tls_text;

/* What a file was like when it was read; all 0 if there was none. */
typedef struct oh_tls_stamp {
    uint64_t device, inode, size;
    int64_t changed_s, changed_ns;
} oh_tls_stamp;

/* The settings of one or more server pools, all equal. Counted by peers. */
typedef struct oh_tls {
    struct oh_tls *next;
    uint32_t references;
    oh_tls_verify verify;
    /* Into `settings`; NULL if absent. */
    const char *texts[OH_TLS_TEXTS_COUNT];
    SSL_CTX *context; /* NULL before the files were read. */
    /* The functions by which OpenSSL sends and receives. */
    BIO_METHOD *method;
    uint32_t generation;                     /* How often a context was made. */
    uint64_t checked_ms;                     /* When the files were last checked. */
    oh_tls_stamp stamps[OH_TLS_FILES_COUNT]; /* Of the files of the context. */
    uint32_t refusal; /* A hash of why newer files were last refused; 0 if none were. */
    size_t settings_length;
    char settings[]; /* Texts, each ended by a 0. The password is among them. */
} oh_tls;

struct oh_tls_peer {
    oh_tls *tls;
    char *name;           /* The name that the node's certificate must have. */
    SSL_SESSION *session; /* The latest; NULL if there is none. */
    uint32_t generation;  /* The generation of the context of that session. */
};

struct oh_tls_channel {
    oh_tls_peer *peer;
    SSL *ssl;
    int socket;
    uint32_t generation; /* The generation of its context. */
    int error;           /* errno of a system call that failed for good; 0 if none did. */
    int delay;           /* errno of the last system call that must be tried again. */
    int alert;           /* The alert by which the node ended the channel; 0 if none. */
    bool may_wait;       /* The next system call may wait. */
    bool has_received;   /* Bytes have come during this call. */
    bool has_spoken;     /* The node has sent its first byte. */
    bool is_plain;       /* That byte begins no record of TLS. */
    bool has_ended;      /* The node has closed its side. */
    bool is_of_ca;       /* The check has failed at a certificate that is not the node's. */
    bool is_asked;       /* The node has asked for a client certificate. */
    bool has_heard;      /* The node has sent data. */
    bool has_buffered;   /* OpenSSL has a result that poll() does not report. */
};

/* ---- tls_socket ---- */

/* NULL if there is no memory. */
BIO_METHOD *oh_tls_socket_method(void);

/* Connects OpenSSL's object with the channel's socket. False if there is no memory. */
bool oh_tls_socket_attach(oh_tls_channel *channel, const BIO_METHOD *method);

/* ---- tls_reason ---- */

/* Sets the failure of a handshake that has just failed. Reads OpenSSL's errors. */
void oh_tls_reason_of_handshake(oh_tls_channel *channel, oh_failure *failure);

/* Notes the alert by which the node has just ended the channel, if it did. */
void oh_tls_reason_note_alert(oh_tls_channel *channel);

/* True and a failure if that alert refuses this client's certificate. */
bool oh_tls_reason_is_certificate(const oh_tls_channel *channel, oh_failure *failure);

/* The first of OpenSSL's errors, or another text if there is none. */
const char *oh_tls_reason_text(const char *otherwise);

#endif
