/*
 * Transport: the php_stream that phpredis believes to be its connection.
 *
 * `onehop` is registered as a stream transport, and phpredis' own connect() opens it. The stream is
 * virtual: it is "connected" at once and for ever, while beneath it each write becomes an exchange
 * on a connection leased for that exchange. phpredis asks whether the stream is alive before every
 * write and every read; the answer costs nothing.
 *
 * Between phpredis above and exchange below it only translates. It is opened by its owner and by
 * nobody else: a script that opens onehop:// is told so.
 */
#ifndef OH_PHP_TRANSPORT_H
#define OH_PHP_TRANSPORT_H

#include "php_network.h"

#include "engine/exchange/exchange.h"

/*
 * Who carries what phpredis says on a stream, and answers it, if it is not the exchange: a
 * subscription.
 */
typedef struct oh_far_end {
    void (*write)(struct oh_far_end *far_end, const char *bytes, size_t length);
    /* 0: there will be no more. */
    size_t (*read)(struct oh_far_end *far_end, char *bytes, size_t size);
} oh_far_end;

/* Whose a stream is: who is told what phpredis does with it. */
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
