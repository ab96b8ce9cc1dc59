/*
 * OpenSSL's own functions for sockets would raise SIGPIPE, and wait whenever the socket does. The
 * functions here never raise a signal, and wait only where the channel allows it, and only once.
 *
 * OpenSSL asks for bytes until it has data, however many records without data a node sends. So it
 * gets bytes once in a call; then its caller polls, and watches the deadline.
 */
#include <errno.h>
#include <sys/socket.h>

#include <openssl/bio.h>

#include "engine/tls/tls_internal.h"

/* The types of a record, from change_cipher_spec to application_data. */
#define OH_RECORD_TYPE_MIN 20
#define OH_RECORD_TYPE_MAX 23

static void note_error(oh_tls_channel *channel, BIO *bio, int retry)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
        channel->delay = errno;
        BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
    } else {
        channel->error = errno;
    }
}

static int put(BIO *bio, const char *bytes, int length)
{
    oh_tls_channel *channel = BIO_get_data(bio);
    ssize_t count = send(channel->socket, bytes, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);

    BIO_clear_retry_flags(bio);
    if (count < 0) {
        note_error(channel, bio, BIO_FLAGS_WRITE);
    }
    return (int)count;
}

static int take(BIO *bio, char *bytes, int size)
{
    oh_tls_channel *channel = BIO_get_data(bio);

    BIO_clear_retry_flags(bio);
    if (channel->has_received) {
        BIO_set_retry_read(bio);
        return -1;
    }
    ssize_t count =
        recv(channel->socket, bytes, (size_t)size, channel->may_wait ? 0 : MSG_DONTWAIT);

    channel->may_wait = false;
    if (count < 0) {
        note_error(channel, bio, BIO_FLAGS_READ);
    } else if (count == 0) {
        channel->has_ended = true;
    } else {
        channel->has_received = true;
        if (!channel->has_spoken) {
            channel->has_spoken = true;
            channel->is_plain = bytes[0] < OH_RECORD_TYPE_MIN || bytes[0] > OH_RECORD_TYPE_MAX;
        }
    }
    return (int)count;
}

static long control(BIO *bio, int command, long number, void *pointer)
{
    const oh_tls_channel *channel = BIO_get_data(bio);

    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH || (command == BIO_CTRL_EOF && channel->has_ended);
}

BIO_METHOD *oh_tls_socket_method(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "onehop");

    if (method) {
        BIO_meth_set_write(method, put);
        BIO_meth_set_read(method, take);
        BIO_meth_set_ctrl(method, control);
    }
    return method;
}

bool oh_tls_socket_attach(oh_tls_channel *channel, const BIO_METHOD *method)
{
    BIO *bio = BIO_new(method);

    if (!bio) {
        return false;
    }
    BIO_set_data(bio, channel);
    BIO_set_init(bio, 1);
    SSL_set_bio(channel->ssl, bio, bio);
    return true;
}
