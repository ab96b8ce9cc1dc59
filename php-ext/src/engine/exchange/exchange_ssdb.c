/*
 * Exchanges with an SSDB node. The caller's request is translated before a connection is leased,
 * and core/ssdb translates the replies on the way back.
 *
 *     begin ─► translate ─► (all members of the set) ─► lease ... ─► replies ─► fits ─► give_shaped
 *
 * If one request is refused, the whole call must be refused. So the members of a set wait for each
 * other before the first byte is sent. (With more than OH_EXCHANGE_SET_MAX nodes, this holds for
 * each set of that size.)
 *
 * Implements spec/route, "SSDB".
 */
#include <stdio.h>
#include <string.h>

#include "core/base/compiler.h"

#include "engine/exchange/exchange_internal.h"

#define SCRATCH_BYTES 4096

static const char *const strange_reply = "a reply that SSDB does not give to this command";

/* ---- Requests ---- */

static void describe_refusal(const oh_ssdb *ssdb, oh_failure *failure)
{
    size_t length = strlen(ssdb->refusal);
    oh_quoted command;

    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_NOT_FOR_SSDB,
        oh_quote(&command, ssdb->command.bytes, ssdb->command.length),
        (int)(length - (ssdb->refusal[length - 1] == '.')), ssdb->refusal);
}

/* Refuses the request, and with it those of all members of its set. */
static bool refuse(oh_exchange *exchange)
{
    oh_exchange_fail(exchange);
    if (exchange->set) {
        exchange->set->refusal = exchange->failure;
    }
    return false;
}

bool oh_exchange_translate(oh_exchange *exchange)
{
    oh_request *request = &exchange->request;

    if (!exchange->ssdb && !(exchange->ssdb = oh_call_zeroed(1, sizeof *exchange->ssdb))) {
        oh_failure_set_no_memory(exchange->failure, OH_OUTCOME_NOT_SENT);
        return refuse(exchange);
    }
    if (!oh_ssdb_translate(
            exchange->ssdb, request->bytes, request->length, exchange->terms.is_raw)) {
        describe_refusal(exchange->ssdb, exchange->failure);
        return refuse(exchange);
    }
    request->bytes = exchange->ssdb->request;
    request->length = exchange->ssdb->length;
    exchange->is_waiting = true;
    return true;
}

/* ---- Replies ---- */

/* Before the connection is settled, checks the replies that were not read yet. */
bool oh_exchange_fits_ssdb(oh_exchange *exchange)
{
    const oh_replies *replies = &exchange->replies;
    uint8_t scratch[SCRATCH_BYTES];
    size_t at = replies->begin, written = 1;

    if (!exchange->ssdb->is_shaped) {
        return true;
    }
    oh_ssdb trial = *exchange->ssdb; /* The check changes only this copy. */
    while (!trial.is_broken && (at < replies->end || written > 0)) {
        size_t length = replies->end - at;

        written = oh_ssdb_read(&trial, replies->bytes + at, &length, scratch, sizeof scratch);
        at += length;
    }
    if (trial.is_broken) {
        oh_exchange_refuse_bytes(exchange, strange_reply);
    }
    return !trial.is_broken;
}

size_t oh_exchange_give_shaped(oh_exchange *exchange, char *bytes, size_t size)
{
    oh_replies *replies = &exchange->replies;
    size_t length = oh_replies_length(replies);
    size_t written = oh_ssdb_read(
        exchange->ssdb, replies->bytes + replies->begin, &length, (uint8_t *)bytes, size);

    replies->begin += length;
    if (OH_UNLIKELY(exchange->ssdb->is_broken)) {
        oh_exchange_refuse_bytes(exchange, strange_reply);
        return 0;
    }
    return written;
}

void oh_exchange_release_ssdb(oh_exchange *exchange)
{
    if (exchange->ssdb) {
        oh_ssdb_release(exchange->ssdb);
        oh_call_release(exchange->ssdb);
        exchange->ssdb = NULL;
    }
}
