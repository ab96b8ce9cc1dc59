/*
 * Transport: the php_stream that phpredis believes to be its connection.
 *
 * `onehop` is registered as a stream transport, and phpredis' own connect() opens it. The stream is
 * virtual: it always counts as connected, while each write becomes an exchange on a connection that
 * is leased for it. phpredis asks whether the stream is alive before every write and every read;
 * the answer costs nothing.
 *
 * It only translates between phpredis above and the exchange below. Only its owner can open it: a
 * script that opens onehop:// gets an error that says so.
 */
#ifndef OH_PHP_TRANSPORT_H
#define OH_PHP_TRANSPORT_H

#include "php_network.h"

#include "engine/exchange/exchange.h"

/*
 * The other end of a stream if that is not an exchange: a subscription. It takes what phpredis
 * writes and gives what phpredis reads.
 */
typedef struct oh_far_end {
    void (*write)(struct oh_far_end *far_end, const char *bytes, size_t length);
    /* 0: no more bytes will follow. */
    size_t (*read)(struct oh_far_end *far_end, char *bytes, size_t size);
} oh_far_end;

/* The owner of a stream: it is called when phpredis ends or closes the stream. */
typedef struct oh_transport_owner {
    void (*meet_end)(struct oh_transport_owner *owner); /* phpredis has read its end. */
    /* phpredis closes it: the transport is about to be freed. */
    void (*lose)(struct oh_transport_owner *owner);
} oh_transport_owner;

typedef struct oh_transport {
    /* First, because phpredis takes what a stream is made of for one of these. */
    php_netstream_data_t netstream;
    oh_transport_owner *owner; /* NULL once that has gone. */
    oh_far_end *far_end;       /* NULL: the exchange. */
    /* Since the call began something was not sent, because a value could not be packed. */
    bool was_withheld;
    oh_exchange exchange;
} oh_transport;

/* Registers the transport `onehop`. */
zend_result oh_transport_register(void);
void oh_transport_unregister(void);

/*
 * The next stream that phpredis opens is this owner's; called with NULL it gives out the one that
 * was opened since, if there is one, and from then on none may be opened.
 */
oh_transport *oh_transport_expect(oh_transport_owner *owner);

/* The owner goes before its stream: from here on the stream only says that it has ended. */
void oh_transport_detach(oh_transport *transport);

#endif
