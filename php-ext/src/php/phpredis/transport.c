/*
 * What phpredis expects of a connection, and how the transport provides it:
 *
 *   - It uses stream->abstract as a php_netstream_data_t and sets options on its socket. Our struct
 *     begins with one whose socket is -1, so the kernel refuses. TCP_NODELAY and the timeouts are
 *     set when sockets are opened.
 *   - It calls php_stream_eof() before every write and read, which asks for CHECK_LIVENESS. The
 *     answer is yes, without a system call.
 *   - It repeats a read that fails without an end of file. So a read that cannot return bytes sets
 *     the end of file.
 */
#include "php/base/zend.h"

#include "ext/standard/file.h"

#include "core/base/compiler.h"

#include "php/phpredis/transport.h"

/* During phpredis' connect(): the owner of the stream, and the stream once it is open. */
static OH_PER_THREAD struct {
    oh_transport_owner *owner;
    oh_transport *transport;
} expected;

static ssize_t transport_write(php_stream *stream, const char *bytes, size_t count)
{
    oh_transport *transport = stream->abstract;

    /* A value could not be packed, but phpredis continues and would store half of it. */
    if (UNEXPECTED(EG(exception) != NULL)) {
        transport->was_withheld = true;
        return -1;
    }
    /* A write begins a command. Unread bytes of the previous reply must not answer it. */
    stream->readpos = stream->writepos = 0;
    stream->eof = 0;
    if (UNEXPECTED(transport->far_end != NULL)) {
        transport->far_end->write(transport->far_end, bytes, count);
        return (ssize_t)count;
    }
    return oh_exchange_run(&transport->exchange, bytes, count) ? (ssize_t)count : -1;
}

static ssize_t transport_read(php_stream *stream, char *bytes, size_t count)
{
    oh_transport *transport = stream->abstract;
    size_t given = EXPECTED(!transport->far_end)
                       ? oh_exchange_read(&transport->exchange, bytes, count)
                       : transport->far_end->read(transport->far_end, bytes, count);

    if (UNEXPECTED(given == 0)) {
        stream->eof = 1;
        if (transport->owner) {
            transport->owner->on_end(transport->owner);
        }
    }
    return (ssize_t)given;
}

static int transport_close(php_stream *stream, int close_handle)
{
    oh_transport *transport = stream->abstract;

    if (expected.transport == transport) {
        expected.transport = NULL;
    } else if (transport->owner) {
        transport->owner->lose(transport->owner);
    }
    oh_exchange_end(&transport->exchange);
    efree(transport);
    return 0;
}

static int transport_flush(php_stream *stream)
{
    return 0;
}

/* There is no single socket to wait for. */
static int transport_cast(php_stream *stream, int as, void **result)
{
    return FAILURE;
}

static int transport_set_option(php_stream *stream, int option, int value, void *parameter)
{
    switch (option) {
    case PHP_STREAM_OPTION_CHECK_LIVENESS:
    case PHP_STREAM_OPTION_READ_TIMEOUT: /* The exchange keeps the deadline of the call. */
        return PHP_STREAM_OPTION_RETURN_OK;
    case PHP_STREAM_OPTION_XPORT_API: {
        php_stream_xport_param *request = parameter;

        if (request->op == STREAM_XPORT_OP_CONNECT ||
            request->op == STREAM_XPORT_OP_CONNECT_ASYNC) {
            request->outputs.returncode = 0;
            return PHP_STREAM_OPTION_RETURN_OK;
        }
        return PHP_STREAM_OPTION_RETURN_NOTIMPL;
    }
    default: return PHP_STREAM_OPTION_RETURN_NOTIMPL;
    }
}

static const php_stream_ops transport_operations = {
    transport_write,
    transport_read,
    transport_close,
    transport_flush,
    "onehop",
    NULL, /* seek */
    transport_cast,
    NULL, /* stat */
    transport_set_option,
};

bool oh_transport_has_rest(const oh_transport *transport)
{
    const php_stream *stream = transport->stream;

    return stream->writepos > stream->readpos || oh_exchange_is_active(&transport->exchange) ||
           oh_exchange_unread(&transport->exchange).length > 0;
}

static php_stream *transport_open(const char *protocol, size_t protocol_length, const char *name,
    size_t name_length, const char *persistent_id, int options, int flags, struct timeval *timeout,
    php_stream_context *context STREAMS_DC)
{
    oh_transport_owner *owner = expected.owner;

    if (!owner || persistent_id || (flags & STREAM_XPORT_SERVER)) {
        php_error_docref(NULL, E_WARNING,
            "onehop:// is opened by OneHop\\Redis only; use new OneHop\\Redis($pool)");
        return NULL;
    }
    expected.owner = NULL;

    oh_transport *transport = ecalloc(1, sizeof *transport);
    transport->netstream.socket = -1;
    transport->netstream.is_blocked = true;
    transport->netstream.timeout.tv_sec = -1;
    php_stream *stream = php_stream_alloc_rel(&transport_operations, transport, NULL, "r+");
    if (!stream) {
        efree(transport);
        return NULL;
    }
    /*
     * A script can get hold of every stream. Closing this one would leave phpredis with a dangling
     * pointer.
     */
    stream->flags |= PHP_STREAM_FLAG_NO_FCLOSE;
    transport->stream = stream;
    transport->owner = owner;
    expected.transport = transport;
    return stream;
}

oh_transport *oh_transport_expect(oh_transport_owner *owner)
{
    oh_transport *transport = expected.transport;

    expected.owner = owner;
    expected.transport = NULL;
    return transport;
}

zend_result oh_transport_register(void)
{
    return php_stream_xport_register("onehop", transport_open);
}

void oh_transport_unregister(void)
{
    php_stream_xport_unregister("onehop");
}

void oh_transport_detach(oh_transport *transport)
{
    oh_exchange_shut(&transport->exchange);
    transport->owner = NULL;
}
