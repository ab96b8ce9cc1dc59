/*
 *     owner    receive <── records opened <── OpenSSL <── take ──  socket
 *              send    ──> records sealed ──> OpenSSL ─── put ──>
 *
 * A send seals one record after another. The bytes of a record count as sent when the kernel has
 * taken all of it: a node cannot open a part of one. Until then the owner offers the same bytes
 * again, as after any send that was too much for the kernel.
 *
 * A receive asks the kernel once, then opens what OpenSSL has buffered, as far as there is room.
 * What is left makes has_buffered true. poll() does not report it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "core/base/compiler.h"
#include "core/base/memory.h"

#include "engine/tls/tls_internal.h"

/* ---- Opening and closing ---- */

static bool is_address(const char *name)
{
    struct in6_addr address;

    return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1;
}

/* Says which name the node must have. No name is sent for an address. False without memory. */
static bool set_name(oh_tls_channel *channel)
{
    const oh_tls_peer *peer = channel->peer;
    X509_VERIFY_PARAM *checks = SSL_get0_param(channel->ssl);
    bool is_number = is_address(peer->name), is_checked = peer->tls->verify == OH_TLS_FULL;

    if (!is_number && SSL_set_tlsext_host_name(channel->ssl, peer->name) != 1) {
        return false;
    }
    if (!is_checked) {
        return true;
    }
    X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return is_number ? X509_VERIFY_PARAM_set1_ip_asc(checks, peer->name) == 1
                     : X509_VERIFY_PARAM_set1_host(checks, peer->name, 0) == 1;
}

static bool set_up(oh_tls_channel *channel)
{
    oh_tls_peer *peer = channel->peer;

    channel->ssl = SSL_new(peer->tls->context);
    if (!channel->ssl || !oh_tls_socket_attach(channel, peer->tls->method) || !set_name(channel)) {
        return false;
    }
    SSL_set_app_data(channel->ssl, channel);
    SSL_set_connect_state(channel->ssl);
    if (peer->session && peer->generation == channel->generation &&
        SSL_SESSION_is_resumable(peer->session)) {
        SSL_set_session(
            channel->ssl, peer->session); /* If it fails, the handshake is a full one. */
    }
    return true;
}

oh_tls_channel *oh_tls_channel_open(oh_tls_peer *peer, int socket, oh_failure *failure)
{
    oh_tls_channel *channel = oh_memory_zeroed(1, sizeof *channel);

    if (channel) {
        channel->peer = peer;
        channel->socket = socket;
        channel->generation = peer->tls->generation;
        if (set_up(channel)) {
            return channel;
        }
        oh_tls_channel_close(channel);
    }
    ERR_clear_error();
    oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
    return NULL;
}

void oh_tls_channel_close(oh_tls_channel *channel)
{
    if (channel->ssl) {
        /* Without it, SSL_free would forbid to resume the session. */
        SSL_set_shutdown(channel->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        SSL_free(channel->ssl);
    }
    oh_memory_release(channel);
}

/* ---- The handshake ---- */

/* Before each call of OpenSSL that may receive. */
static void begin(oh_tls_channel *channel, bool may_wait)
{
    ERR_clear_error();
    channel->may_wait = may_wait;
    channel->has_received = false;
    channel->delay = EAGAIN;
}

oh_progress oh_tls_channel_advance(oh_tls_channel *channel, short *events, oh_failure *failure)
{
    begin(channel, false);
    int result = SSL_do_handshake(channel->ssl);
    int error = SSL_get_error(channel->ssl, result);

    if (result == 1) {
        return OH_PROGRESS_READY;
    }
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        *events = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
        return OH_PROGRESS_WAITS;
    }
    oh_tls_reason_of_handshake(channel, failure);
    ERR_clear_error();
    return OH_PROGRESS_BROKEN;
}

/* ---- Receiving and sending ---- */

bool oh_tls_channel_has_received(const oh_tls_channel *channel)
{
    return channel->has_received;
}

/* What recv() or send() would return where OpenSSL's result is not a number of bytes. */
static ssize_t failed(oh_tls_channel *channel, int result)
{
    int error = SSL_get_error(channel->ssl, result);

    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        errno = channel->has_received ? EINTR : channel->delay;
        return -1;
    }
    oh_tls_reason_note_alert(channel);
    ERR_clear_error();
    if (error == SSL_ERROR_ZERO_RETURN || (channel->has_ended && !channel->error)) {
        return 0;
    }
    errno = channel->error ? channel->error : EPROTO;
    return -1;
}

ssize_t oh_tls_channel_receive(oh_tls_channel *channel, void *bytes, size_t size, int flags)
{
    size_t total = 0;
    int count;

    begin(channel, !(flags & MSG_DONTWAIT));
    channel->has_buffered = false;
    do {
        count = SSL_read(
            channel->ssl, (char *)bytes + total, (int)OH_MIN(size - total, (size_t)INT_MAX));
        if (count <= 0 && total == 0) {
            return failed(channel, count);
        }
        if (count <= 0) { /* A failure is the result of the next receive. */
            channel->has_buffered = SSL_get_error(channel->ssl, count) != SSL_ERROR_WANT_READ;
            ERR_clear_error();
            return (ssize_t)total;
        }
        total += (size_t)count;
        channel->may_wait = false;
        channel->has_heard = true;
    } while (total < size && SSL_has_pending(channel->ssl));
    channel->has_buffered = SSL_has_pending(channel->ssl);
    return (ssize_t)total;
}

ssize_t oh_tls_channel_send(oh_tls_channel *channel, const void *bytes, size_t size)
{
    size_t total = 0;

    begin(channel, false);
    while (total < size) {
        int count = SSL_write(
            channel->ssl, (const char *)bytes + total, (int)OH_MIN(size - total, (size_t)INT_MAX));

        if (count <= 0) {
            ssize_t result = failed(channel, count);

            if (result == 0) {
                errno = EPIPE;
            }
            return total ? (ssize_t)total : -1;
        }
        total += (size_t)count;
    }
    return (ssize_t)total;
}

bool oh_tls_channel_has_buffered(const oh_tls_channel *channel)
{
    return channel->has_buffered;
}

/*
 * True if a part of a record has come. OpenSSL does not count the head of a record alone as
 * pending.
 */
static bool has_part(const oh_tls_channel *channel)
{
    return SSL_has_pending(channel->ssl) || strcmp(SSL_rstate_string(channel->ssl), "RB") == 0;
}

bool oh_tls_channel_is_silent(oh_tls_channel *channel)
{
    char byte;

    /* Session tickets arrive together. More bytes at the second check are something else. */
    for (int i = 0; i < 2; i++) {
        begin(channel, false);
        int error = SSL_get_error(channel->ssl, SSL_peek(channel->ssl, &byte, 1));
        ERR_clear_error();
        if (error != SSL_ERROR_WANT_READ || !channel->has_received) {
            return error == SSL_ERROR_WANT_READ && !has_part(channel);
        }
    }
    return false;
}

bool oh_tls_channel_has_more(oh_tls_channel *channel)
{
    char byte;

    begin(channel, false);
    int count = SSL_peek(channel->ssl, &byte, 1);
    ERR_clear_error();
    return count > 0 || has_part(channel);
}

bool oh_tls_channel_is_turned_away(oh_tls_channel *channel, oh_failure *failure)
{
    char byte;

    if (channel->has_heard) {
        return false;
    }
    /* The alert may have come, although the node took no more bytes. */
    if (!channel->alert) {
        begin(channel, false);
        if (SSL_read(channel->ssl, &byte, 1) <= 0) {
            oh_tls_reason_note_alert(channel);
        }
        ERR_clear_error();
    }
    return oh_tls_reason_is_certificate(channel, failure);
}
