/*
 * The inside of room exchange: what the waiting half needs of the moving half, and the other way round; how it ends;
 * what exchange_hold adds for connections that are kept, exchange_preface for commands put in front, exchange_fence for
 * transactions in a pipeline, and exchange_ssdb for nodes that are SSDB.
 */
#ifndef OH_ENGINE_EXCHANGE_WAIT_H
#define OH_ENGINE_EXCHANGE_WAIT_H

#include "engine/exchange/exchange.h"
#include "engine/redirects/redirects.h"

#define OH_ADVICE_RETRY "try again if the command may run twice"

/* What a failure must say of the command. */
static inline oh_outcome oh_exchange_outcome(const oh_exchange *exchange)
{
    return exchange->sent == 0 ? OH_OUTCOME_NOT_SENT : OH_OUTCOME_MAYBE_EXECUTED;
}

/* What went over the connection is counted, before it is given up or back. */
static inline void oh_exchange_count_bytes(oh_exchange *exchange)
{
    oh_meter_add(exchange->peer.meter, OH_METER_BYTES_SENT, exchange->sent);
    oh_meter_add(exchange->peer.meter, OH_METER_BYTES_RECEIVED, exchange->received);
    exchange->received = 0;
}

/* Waits, moving the whole flight, until `is_enough` says so of this exchange. */
void oh_exchange_wait_until(oh_exchange *exchange, bool (*is_enough)(const oh_exchange *));

/* Becomes a member of its flight, if it is not; flies alone if that is full. And leaves it. */
void oh_flight_join(oh_exchange *exchange);
void oh_flight_leave(oh_exchange *exchange);

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

/* Ends it because there is no memory to go on with. */
void oh_exchange_fail_without_memory(oh_exchange *exchange);

/* Ends it with ProtocolViolation. */
void oh_exchange_refuse_bytes(oh_exchange *exchange, const char *reason);

/* The connection is ready: from here on replies are owed, and the request goes out. */
void oh_exchange_begin_moving(oh_exchange *exchange);

/* There is something to read, or there will be nothing more. */
bool oh_exchange_has_bytes_or_ended(const oh_exchange *exchange);

/* phpredis wants more than there is: a reply was not what it expected. */
void oh_exchange_run_dry(oh_exchange *exchange);

/* A connection for the request, new or not, and on with it. */
void oh_exchange_lease(oh_exchange *exchange, bool must_be_new);

/* ---- exchange_end ---- */

/* Closes its connection, if there is one. */
void oh_exchange_drop_connection(oh_exchange *exchange);

/* Every reply is in: the connection is given back, or held. */
void oh_exchange_end_well(oh_exchange *exchange);

/* ---- exchange_preface ---- */

/* The request as it goes out: with the preface in front. False: the exchange has failed. */
bool oh_exchange_join_preface(oh_exchange *exchange);
void oh_exchange_drop_joined(oh_exchange *exchange);

/* Takes the reply of the preface out of `count` bytes behind `end`; returns how many are left there. */
size_t oh_exchange_take_preface(oh_exchange *exchange, size_t count);

/* ---- exchange_fence ---- */

/* Before anything is sent: up to where it may be. `written` commands were on the connection before these. */
void oh_exchange_put_fence(oh_exchange *exchange, uint64_t written);

/* The request as it goes out: with DISCARD where EXEC is not to be. False: the exchange has failed. */
bool oh_exchange_write_discards(oh_exchange *exchange);

/* In bytes that wire has seen to: where the command that begins here ends; the number behind a type, moving on behind its line. */
size_t oh_exchange_end_of_command(const uint8_t *bytes, size_t length, size_t at);
size_t oh_exchange_read_number(const uint8_t *bytes, size_t length, size_t *at);

/* Replies have come: moves the fence on if it may be. False: the node refused MULTI, the exchange has failed. */
bool oh_exchange_pass_fence(oh_exchange *exchange);

/* ---- exchange_ssdb ---- */

static inline bool oh_exchange_is_ssdb(const oh_exchange *exchange)
{
    return oh_pool_endpoint(exchange->peer.connections)->is_ssdb;
}

/* The request becomes what SSDB is sent, and waits. False: it has failed, and so will all that travel with it. */
bool oh_exchange_translate(oh_exchange *exchange);

/* Sends what waits: of the whole flight, once all of it is translated. */
void oh_exchange_launch(oh_exchange *exchange);

/* Every reply is in: false, and the exchange has failed, if they are not what SSDB can answer. */
bool oh_exchange_fits_ssdb(oh_exchange *exchange);

/* As oh_exchange_read. */
size_t oh_exchange_read_ssdb(oh_exchange *exchange, char *bytes, size_t size);

void oh_exchange_release_ssdb(oh_exchange *exchange);

/* ---- exchange_hold ---- */

/* Every reply is in: the connection is put aside for the next write. */
void oh_exchange_hold(oh_exchange *exchange);

/* The held connection carries the request, or the exchange has failed. */
void oh_exchange_take_held(oh_exchange *exchange);

/* Closes the held connection, if there is one. */
void oh_exchange_drop_held(oh_exchange *exchange);

/* Looks at the reply of EXEC before phpredis does. */
void oh_exchange_judge_exec(oh_exchange *exchange);

#endif
