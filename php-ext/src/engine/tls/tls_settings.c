/*
 * Server pools with equal settings share one context of OpenSSL. It is made at the first handshake,
 * and made again when one of the files has changed; open connections keep the context that they
 * began with. A file that cannot be used, such as one that is only half written, leaves the context
 * as it is. It is read again at the next check: the reason may be outside of it, such as its
 * rights.
 *
 * Each peer keeps the session of its latest connection. The next handshake resumes it, so no
 * certificate is sent or checked again. A session is never resumed under another context.
 */
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>

#include <openssl/err.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/generated/timings.h"
#include "core/generated/words.h"
#include "core/hash/hash.h"

#include "engine/base/log.h"
#include "engine/tls/tls_internal.h"

static OH_PER_THREAD oh_tls *all; /* The settings of this thread. */

const char *oh_tls_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION);
}

/* ---- Files ---- */

static const char *const directives[OH_TLS_FILES_COUNT] = {
    [OH_TLS_CA_FILE] = "tls_ca_cert_file",
    [OH_TLS_CERT_FILE] = "tls_cert_file",
    [OH_TLS_KEY_FILE] = "tls_key_file",
};

/* All 0 if there is no such file. */
static oh_tls_stamp stamp_of(const char *path)
{
    struct stat found;

    if (!path || stat(path, &found) != 0) {
        return (oh_tls_stamp){0};
    }
    return (oh_tls_stamp){.device = found.st_dev,
        .inode = found.st_ino,
        .size = (uint64_t)found.st_size,
        .changed_s = found.st_mtim.tv_sec,
        .changed_ns = found.st_mtim.tv_nsec};
}

static bool is_same(const oh_tls_stamp *one, const oh_tls_stamp *other)
{
    return one->device == other->device && one->inode == other->inode && one->size == other->size &&
           one->changed_s == other->changed_s && one->changed_ns == other->changed_ns;
}

/* Stamps the files as they are now. True if one differs from what is in use. */
static bool have_changed(const oh_tls *tls, oh_tls_stamp now[OH_TLS_FILES_COUNT])
{
    bool has_changed = false;

    for (int i = 0; i < OH_TLS_FILES_COUNT; i++) {
        now[i] = stamp_of(tls->texts[i]);
        has_changed |= !is_same(&now[i], &tls->stamps[i]);
    }
    return has_changed;
}

/* ---- Contexts ---- */

/* OpenSSL would ask at the terminal if there were no such function. */
static int give_pass(char *room, int size, int is_writing, void *given)
{
    size_t length = given ? strlen(given) : 0;

    (void)is_writing;
    if (length == 0 || length > (size_t)size) {
        return 0;
    }
    memcpy(room, given, length);
    return (int)length;
}

static int keep_session(SSL *ssl, SSL_SESSION *session)
{
    const oh_tls_channel *channel = SSL_get_app_data(ssl);
    oh_tls_peer *peer = channel->peer;

    SSL_SESSION_free(peer->session);
    peer->session = session;
    peer->generation = channel->generation;
    return 1; /* The session is the peer's now. */
}

static int note_issuer(int is_good, X509_STORE_CTX *check)
{
    const SSL *ssl = X509_STORE_CTX_get_ex_data(check, SSL_get_ex_data_X509_STORE_CTX_idx());
    oh_tls_channel *channel = SSL_get_app_data(ssl);

    channel->is_of_ca = !is_good && X509_STORE_CTX_get_error_depth(check) > 0;
    return is_good;
}

static int note_request(SSL *ssl, void *unused)
{
    oh_tls_channel *channel = SSL_get_app_data(ssl);

    (void)unused;
    channel->is_asked = true;
    return 1;
}

/* Returns the directive that cannot be followed; NULL if all are. */
static const char *load_files(const oh_tls *tls, SSL_CTX *context)
{
    const char *ca = tls->texts[OH_TLS_CA_FILE], *certificate = tls->texts[OH_TLS_CERT_FILE],
               *key = tls->texts[OH_TLS_KEY_FILE]; /* Both, or none. */

    SSL_CTX_set_default_passwd_cb(context, give_pass);
    SSL_CTX_set_default_passwd_cb_userdata(context, (void *)tls->texts[OH_TLS_KEY_PASS]);
    if (ca ? SSL_CTX_load_verify_locations(context, ca, NULL) != 1
           : SSL_CTX_set_default_verify_paths(context) != 1) {
        return directives[OH_TLS_CA_FILE];
    }
    if (certificate && SSL_CTX_use_certificate_chain_file(context, certificate) != 1) {
        return directives[OH_TLS_CERT_FILE];
    }
    if (certificate && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) {
        return directives[OH_TLS_KEY_FILE];
    }
    return NULL;
}

static void set_modes(const oh_tls *tls, SSL_CTX *context)
{
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    /* One system call takes the head of a record, its rest, and further records. */
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_verify(
        context, tls->verify == OH_TLS_NONE ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, note_issuer);
    SSL_CTX_set_session_cache_mode(
        context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
    SSL_CTX_sess_set_new_cb(context, keep_session);
    SSL_CTX_set_cert_cb(context, note_request, NULL);
}

/* Makes a context of the files as they are. False if that fails; OpenSSL's errors say why. */
static bool make_context(oh_tls *tls, const char **refused)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());

    *refused = NULL;
    if (!context) {
        return false;
    }
    set_modes(tls, context);
    *refused = load_files(tls, context);
    if (*refused) {
        SSL_CTX_free(context);
        return false;
    }
    SSL_CTX_free(tls->context);
    tls->context = context;
    tls->generation++;
    return true;
}

static void refuse(const char *directive, oh_failure *failure)
{
    if (directive) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TLS_OPTIONS, directive);
        oh_failure_append(failure, ": ");
        oh_failure_append(failure, oh_tls_reason_text("it cannot be read"));
    } else {
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
    }
}

/* Logs why the files in use stay, unless that was logged before. */
static void tell_refusal(oh_tls *tls, const char *directive)
{
    oh_failure failure;

    refuse(directive, &failure);
    uint32_t refusal = oh_hash_fnv1a_32((const uint8_t *)failure.what, strlen(failure.what)) | 1U;
    if (refusal != tls->refusal) {
        oh_log_note(LOG_WARNING, "OneHop: " OH_LOG_TLS_STAYS, failure.what);
    }
    tls->refusal = refusal;
}

/* Makes the context if there is none, or if a file has changed. */
static bool prepare(oh_tls *tls, oh_failure *failure)
{
    uint64_t now_ms = oh_clock_now_ms();
    oh_tls_stamp stamps[OH_TLS_FILES_COUNT];
    const char *refused;

    if (tls->context && now_ms - tls->checked_ms < OH_TLS_CHECK_EVERY_MS) {
        return true;
    }
    tls->checked_ms = now_ms;
    if (!have_changed(tls, stamps) && tls->context) {
        return true;
    }
    ERR_clear_error();
    if (make_context(tls, &refused)) {
        memcpy(tls->stamps, stamps, sizeof stamps);
        tls->refusal = 0;
        return true;
    }
    if (tls->context) {
        tell_refusal(tls, refused);
    } else {
        refuse(refused, failure);
    }
    ERR_clear_error();
    return tls->context != NULL;
}

/* ---- Settings ---- */

/* Copies a text into the settings. Returns NULL for an absent one. */
static const char *store(char **to, oh_text text)
{
    const char *stored = *to;

    if (text.length) {
        memcpy(*to, text.bytes, text.length);
    }
    *to += text.length + 1;
    return text.length ? stored : NULL;
}

static oh_tls *make(const oh_server_pool *pool)
{
    const oh_text texts[OH_TLS_TEXTS_COUNT] = {[OH_TLS_CA_FILE] = pool->tls.ca_cert_file,
        [OH_TLS_CERT_FILE] = pool->tls.cert_file,
        [OH_TLS_KEY_FILE] = pool->tls.key_file,
        [OH_TLS_KEY_PASS] = pool->tls.key_file_pass,
        [OH_TLS_SERVER_NAME] = pool->tls.server_name};
    size_t length = 1;

    for (int i = 0; i < OH_TLS_TEXTS_COUNT; i++) {
        length += texts[i].length + 1;
    }
    oh_tls *tls = oh_memory_zeroed(1, sizeof *tls + length);
    if (!tls) {
        return NULL;
    }
    char *to = tls->settings;
    *to++ = (char)('0' + pool->tls.verify);
    for (int i = 0; i < OH_TLS_TEXTS_COUNT; i++) {
        tls->texts[i] = store(&to, texts[i]);
    }
    tls->settings_length = length;
    tls->verify = pool->tls.verify;
    return tls;
}

static void destroy(oh_tls *tls)
{
    SSL_CTX_free(tls->context);
    BIO_meth_free(tls->method);
    oh_memory_erase(tls->settings, tls->settings_length);
    oh_memory_release(tls);
}

static oh_tls *find(const oh_tls *wanted)
{
    oh_tls *each = all;

    while (each && (each->settings_length != wanted->settings_length ||
                       memcmp(each->settings, wanted->settings, wanted->settings_length) != 0)) {
        each = each->next;
    }
    return each;
}

static oh_tls *acquire(const oh_server_pool *pool)
{
    oh_tls *tls = make(pool), *known = tls ? find(tls) : NULL;

    if (known) {
        destroy(tls);
        tls = known;
    } else if (tls) {
        tls->method = oh_tls_socket_method();
        if (!tls->method) {
            destroy(tls);
            return NULL;
        }
        tls->next = all;
        all = tls;
        if (tls->verify == OH_TLS_NONE) {
            oh_log_note(LOG_WARNING, "OneHop: " OH_LOG_TLS_NONE, pool->name.bytes);
        }
    }
    if (tls) {
        tls->references++;
    }
    return tls;
}

static void release(oh_tls *tls)
{
    oh_tls **place = &all;

    if (--tls->references > 0) {
        return;
    }
    while (*place != tls) {
        place = &(*place)->next;
    }
    *place = tls->next;
    destroy(tls);
}

/* ---- Peers ---- */

oh_tls_peer *oh_tls_peer_open(const oh_server_pool *pool, oh_text host)
{
    oh_tls_peer *peer = oh_memory_zeroed(1, sizeof *peer);

    if (!peer) {
        return NULL;
    }
    oh_text name = pool->tls.server_name.length ? pool->tls.server_name : host;
    peer->name = oh_memory_copy(name.bytes, name.length);
    peer->tls = peer->name ? acquire(pool) : NULL;
    if (!peer->tls) {
        oh_memory_release(peer->name);
        oh_memory_release(peer);
        return NULL;
    }
    return peer;
}

void oh_tls_peer_close(oh_tls_peer *peer)
{
    if (peer) {
        SSL_SESSION_free(peer->session);
        release(peer->tls);
        oh_memory_release(peer->name);
        oh_memory_release(peer);
    }
}

oh_bytes oh_tls_peer_settings(const oh_tls_peer *peer)
{
    return (oh_bytes){(const uint8_t *)peer->tls->settings, peer->tls->settings_length};
}

bool oh_tls_peer_prepare(oh_tls_peer *peer, oh_failure *failure)
{
    return prepare(peer->tls, failure);
}
