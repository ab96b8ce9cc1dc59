/*
 * The inside of room exchange: what the waiting half needs of the moving half, and the other way round.
 */
#ifndef OH_PHP_EXCHANGE_WAIT_H
#define OH_PHP_EXCHANGE_WAIT_H

#include "exchange.h"

/* Waits, moving the whole flight, until `is_enough` says so of this exchange. */
void oh_exchange_wait_until(oh_exchange *exchange, bool (*is_enough)(const oh_exchange *));

/* It has a connection, and something is still to come or to go. */
bool oh_exchange_is_active(const oh_exchange *exchange);

/* As much was received as phpredis should read before more is fetched. */
bool oh_exchange_is_full(const oh_exchange *exchange);

/* What poll must wait for; 0: nothing, at the moment. */
short oh_exchange_events(const oh_exchange *exchange);

/* Does what poll has found to be possible. Never waits. */
void oh_exchange_step(oh_exchange *exchange, short revents);

/* One receive. False: it would have blocked, or was interrupted; errno tells which. */
bool oh_exchange_receive(oh_exchange *exchange, int flags);

/* Ends it, because this process is a child of the one that began it. */
void oh_exchange_disown(oh_exchange *exchange);

/* Ends it with DeadlineExceeded. */
void oh_exchange_pass_deadline(oh_exchange *exchange);

#endif
