/*
 * Internal to room exchange. Each file uses only those above it in this list:
 *
 *     request         the bytes to send
 *     replies         the bytes received
 *     outcome         the end of an exchange, and of the use of its connection
 *     late            the end of an exchange whose time is over, or that goes to another node
 *     exchange_ssdb   translation between the caller and an SSDB node
 *     transfer        sending and receiving over one connection, without waiting
 *     exchange_set    waiting, for one exchange or for many, and deadlines
 *     exchange        the steps of a call
 */
#ifndef OH_ENGINE_EXCHANGE_INTERNAL_H
#define OH_ENGINE_EXCHANGE_INTERNAL_H

#include "engine/exchange/exchange.h"

/* ---- outcome ---- */

/* The outcome that a failure must have. */
static inline oh_outcome oh_exchange_outcome(const oh_exchange *exchange)
{
    return exchange->request.sent == 0 ? OH_OUTCOME_NOT_SENT : OH_OUTCOME_MAYBE_EXECUTED;
}

/* Closes its connection, if there is one. */
void oh_exchange_drop_connection(oh_exchange *exchange);

/* Gives its connection, which was being opened, to the next call. */
void oh_exchange_put_off(oh_exchange *exchange);

/* Ends an exchange whose replies are all in. The connection is settled or held. */
void oh_exchange_end_well(oh_exchange *exchange);

/*
 * Fail an exchange: with ProtocolViolation, or because this process is a forked child of the one
 * that began it.
 */
void oh_exchange_refuse_bytes(oh_exchange *exchange, const char *reason);
void oh_exchange_fail_of_other_process(oh_exchange *exchange);

/*
 * True if the request is sent as the caller wrote it, and the caller judges the replies. This one
 * test stands for all rare terms.
 */
static inline bool oh_exchange_is_whole(const oh_exchange *exchange)
{
    return exchange->terms.commands_count > 0;
}

/*
 * Fails the exchange because the caller expects more bytes than there are: a reply had an
 * unexpected form.
 */
void oh_exchange_fail_at_end(oh_exchange *exchange);

/* ---- late ---- */

/*
 * Notes that its deadline has passed. It must be called before any deadline that passed at the same
 * time is judged.
 */
void oh_exchange_note_late(const oh_exchange *exchange);

/* Fails an exchange with DeadlineExceeded. */
void oh_exchange_pass_deadline(oh_exchange *exchange);

/*
 * True if this connection has become ready so late that its answer would be late, as it was for an
 * earlier call. The other function fails the exchange, and gives the connection to the next call.
 */
bool oh_exchange_is_ready_too_late(const oh_exchange *exchange);
void oh_exchange_refuse_late_connection(oh_exchange *exchange);

/*
 * The end of its wait; 0 if there is none. block_ms is not added before the node has the whole
 * command.
 */
uint64_t oh_exchange_limit_ns(const oh_exchange *exchange);

/* When it next checks whether its request should go to another node; UINT64_MAX if never. */
uint64_t oh_exchange_check_ns(oh_exchange *exchange);

/*
 * If it is time for that, checks whether its request should go to another node. If true, the
 * failure is set, and a late node is noted. The caller then fails the exchange: by
 * oh_exchange_go_away if it was waiting for the node itself.
 */
bool oh_exchange_should_leave(oh_exchange *exchange, uint64_t now_ns);
void oh_exchange_go_away(oh_exchange *exchange);

/* ---- exchange_ssdb ---- */

/*
 * Translates the request for SSDB and marks it as waiting. If that fails, returns false, and all
 * members of the set fail.
 */
bool oh_exchange_translate(oh_exchange *exchange);

/*
 * Checks the replies when all are in. If they do not fit the commands, fails the exchange and
 * returns false.
 */
bool oh_exchange_fits_ssdb(oh_exchange *exchange);

/* Reads the translated replies. 0 if there are none yet, or the exchange has failed. */
size_t oh_exchange_give_shaped(oh_exchange *exchange, char *bytes, size_t size);

void oh_exchange_release_ssdb(oh_exchange *exchange);

/* ---- transfer ---- */

/*
 * Leases a connection for the request: the held one, an idle one, or one that is being opened. May
 * fail the exchange.
 */
void oh_exchange_lease(oh_exchange *exchange, bool must_be_new);

/* Sends as much as possible: now if the connection is ready, otherwise as soon as it is. */
void oh_exchange_send(oh_exchange *exchange);

/* Receives once. False if it would have blocked, or was interrupted; errno says which. */
bool oh_exchange_receive(oh_exchange *exchange, int flags);

/*
 * The events to poll for; 0 if none at the moment. The other function then does what poll has found
 * possible.
 */
short oh_exchange_events(const oh_exchange *exchange);
void oh_exchange_step(oh_exchange *exchange, short revents);

/* True if the caller should read before more is received. */
static inline bool oh_exchange_is_full(const oh_exchange *exchange)
{
    return oh_replies_are_many(&exchange->replies) && oh_request_is_sent(&exchange->request);
}

/* ---- exchange set ---- */

/* Waits, advancing the whole set, until `is_enough` is true for this exchange. */
void oh_exchange_wait_until(oh_exchange *exchange, bool (*is_enough)(const oh_exchange *));

/*
 * For an interceptor, whose waits are not waits for the set. leave_caller: the caller waits again.
 * return_to_caller: the caller goes on, and deadlines stand still until it waits.
 */
void oh_exchange_set_leave_caller(const oh_exchange_set *set);
void oh_exchange_set_return_to_caller(const oh_exchange_set *set);

/*
 * Joins its set unless it is a member, or continues alone if the set is full. The other function
 * leaves the set.
 */
void oh_exchange_set_join(oh_exchange *exchange);
void oh_exchange_set_leave(oh_exchange *exchange);

#endif
