/*
 * Transport: the php_stream that phpredis believes to be its connection.
 *
 * `onehop` is registered as a stream transport, and phpredis' own connect() opens it. The stream is
 * virtual. It always counts as connected, and each write becomes an exchange on a connection leased
 * for it. phpredis asks before every write and read if the stream is alive; the answer costs no
 * system call.
 *
 * It only translates between phpredis above and the exchange below. Only OneHop can open such
 * streams; a script that opens onehop:// gets an error.
 */
#ifndef OH_PHP_TRANSPORT_H
#define OH_PHP_TRANSPORT_H

#include "php_network.h"

#include "engine/exchange/exchange.h"

/*
 * The other end of a stream that serves a subscription instead of exchanges. It receives what
 * phpredis writes and returns what phpredis reads.
 */
typedef struct oh_far_end {
    void (*write)(struct oh_far_end *far_end, const char *bytes, size_t length);
    /* Returns 0 if no more bytes will follow. */
    size_t (*read)(struct oh_far_end *far_end, char *bytes, size_t size);
} oh_far_end;

/* The owner of a stream, with callbacks for its end. */
typedef struct oh_transport_owner {
    void (*on_end)(struct oh_transport_owner *owner); /* phpredis has read the end of file. */
    /* phpredis closes the stream: the transport is about to be freed. */
    void (*lose)(struct oh_transport_owner *owner);
} oh_transport_owner;

typedef struct oh_transport {
    /* First, because phpredis uses stream->abstract as a php_netstream_data_t. */
    php_netstream_data_t netstream;
    php_stream *stream;
    oh_transport_owner *owner; /* NULL once the owner is gone. */
    oh_far_end *far_end;       /* NULL if the stream uses `exchange`. */
    oh_far_end replay;         /* Reads what `exchange` has received already (express_call.c). */
    /* During this call a write was suppressed because a value could not be packed. */
    bool was_withheld;
    oh_exchange exchange;
} oh_transport;

/*
 * True if phpredis has left bytes of replies unread. Then it has taken parts of one reply as the
 * replies of later commands.
 */
bool oh_transport_has_rest(const oh_transport *transport);

/* Drops what an earlier call has left. */
static inline void oh_transport_drop_rest(oh_transport *transport)
{
    transport->stream->readpos = transport->stream->writepos = 0;
}

/* Registers the transport `onehop`. */
zend_result oh_transport_register(void);
void oh_transport_unregister(void);

/*
 * Lets phpredis open one stream, for this owner. Called with NULL, it returns the stream that was
 * opened in between, or NULL, and allows no more streams.
 */
oh_transport *oh_transport_expect(oh_transport_owner *owner);

/* Detaches an owner that is freed before its stream. From then on the stream is at its end. */
void oh_transport_detach(oh_transport *transport);

#endif
