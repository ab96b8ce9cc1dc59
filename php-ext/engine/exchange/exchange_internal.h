/*
 * The inside of room exchange. Its files, each of which uses those above it only:
 *
 *     request         what goes out
 *     replies         what came in
 *     outcome         how an exchange ends, and what becomes of its connection
 *     exchange_ssdb   what stands between the caller and a node that is SSDB
 *     transfer        bytes out and in, over one connection; it never waits
 *     exchange_set    the wait, for one exchange or for many, and the deadlines
 *     exchange        the road of a call
 */
#ifndef OH_ENGINE_EXCHANGE_INTERNAL_H
#define OH_ENGINE_EXCHANGE_INTERNAL_H

#include "engine/exchange/exchange.h"

/* ---- outcome ---- */

/* What a failure must say of the command. */
static inline oh_outcome oh_exchange_outcome(const oh_exchange *exchange)
{
    return exchange->request.sent == 0 ? OH_OUTCOME_NOT_SENT : OH_OUTCOME_MAYBE_EXECUTED;
}

/* Closes its connection, if there is one. */
void oh_exchange_drop_connection(oh_exchange *exchange);

/* Every reply is in: the connection is given back, or held. */
void oh_exchange_end_well(oh_exchange *exchange);

/*
 * Ends it with DeadlineExceeded; with ProtocolViolation; because this process is a child of the one
 * that began it.
 */
void oh_exchange_pass_deadline(oh_exchange *exchange);
void oh_exchange_refuse_bytes(oh_exchange *exchange, const char *reason);
void oh_exchange_disown(oh_exchange *exchange);

/* The caller wants more than there is: a reply was not what it expected. */
void oh_exchange_run_dry(oh_exchange *exchange);

/* ---- exchange_ssdb ---- */

/*
 * The request becomes what SSDB is sent, and waits. False: it has failed, and so will all that
 * travel with it.
 */
bool oh_exchange_translate(oh_exchange *exchange);

/* Every reply is in: false, and the exchange has failed, if they are not what SSDB can answer. */
bool oh_exchange_fits_ssdb(oh_exchange *exchange);

/* Gives out what the replies that are there become; 0: nothing yet, or the exchange has failed. */
size_t oh_exchange_give_shaped(oh_exchange *exchange, char *bytes, size_t size);

void oh_exchange_release_ssdb(oh_exchange *exchange);

/* ---- transfer ---- */

/*
 * A connection for the request: the held one, an idle one, or one that is being made. It may fail.
 */
void oh_exchange_lease(oh_exchange *exchange, bool must_be_new);

/* Sends what can be sent: now if the connection is ready, otherwise as soon as it is. */
void oh_exchange_send(oh_exchange *exchange);

/* One receive. False: it would have blocked, or was interrupted; errno tells which. */
bool oh_exchange_receive(oh_exchange *exchange, int flags);

/*
 * What poll must wait for; 0: nothing, at the moment. Then does what poll has found to be possible.
 */
short oh_exchange_events(const oh_exchange *exchange);
void oh_exchange_step(oh_exchange *exchange, short revents);

/* As much was received as the caller should read before more is fetched. */
static inline bool oh_exchange_is_full(const oh_exchange *exchange)
{
    return oh_replies_are_many(&exchange->replies) && oh_request_is_sent(&exchange->request);
}

/* ---- exchange set ---- */

/* Waits, moving the whole set, until `is_enough` says so of this exchange. */
void oh_exchange_wait_until(oh_exchange *exchange, bool (*is_enough)(const oh_exchange *));

/* Becomes a member of its set, if it is not; goes alone if that is full. And leaves it. */
void oh_exchange_set_join(oh_exchange *exchange);
void oh_exchange_set_leave(oh_exchange *exchange);

#endif
