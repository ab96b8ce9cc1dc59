/*
 * Exchanges with a node that is SSDB: what phpredis writes is translated before a connection is leased, and what it
 * reads was shaped by room core/ssdb on the way.
 *
 *     run ─► translate ─► (all members of the flight) ─► launch ─► lease ...  and on the way back: fits ─► read
 *
 * A refusal must refuse the whole call. So the members of a flight wait for each other before the first byte leaves, and
 * if one is refused, all are. (With more than OH_FLIGHT_MEMBERS_MAX nodes that holds for as many at a time.)
 *
 * Implements spec/route, "SSDB".
 */
#include <stdio.h>
#include <string.h>

#include "core/base/compiler.h"
#include "engine/base/environment.h"
#include "engine/exchange/exchange_wait.h"

#define SCRATCH_BYTES 4096

static const char *const strange_reply = "a reply that SSDB does not give to this command";

/* ---- Out ---- */

static void refuse(oh_exchange *exchange)
{
    const oh_ssdb *ssdb = exchange->ssdb;
    oh_failure *failure = exchange->failure;
    size_t length = strlen(ssdb->refusal);

    oh_failure_set(failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_NOT_SENT,
        "docs/ssdb.md has what SSDB can be sent", "Command ");
    oh_failure_quote(failure, (const char *)ssdb->command.bytes, ssdb->command.length);
    size_t end = strlen(failure->what);
    snprintf(failure->what + end, sizeof failure->what - end, " is not for SSDB (%.*s)",
        (int)(length - (ssdb->refusal[length - 1] == '.')), ssdb->refusal);
}

/* Nothing is sent to anyone it travels with, either. */
static bool refuse_all(oh_exchange *exchange)
{
    oh_exchange_fail(exchange);
    if (exchange->flight) {
        exchange->flight->refusal = exchange->failure;
    }
    return false;
}

bool oh_exchange_translate(oh_exchange *exchange)
{
    if (!exchange->ssdb && !(exchange->ssdb = oh_call_zeroed(1, sizeof *exchange->ssdb))) {
        oh_failure_set_no_memory(exchange->failure, OH_OUTCOME_NOT_SENT);
        return refuse_all(exchange);
    }
    if (!oh_ssdb_translate(exchange->ssdb, exchange->request, exchange->request_length, exchange->terms.is_raw)) {
        refuse(exchange);
        return refuse_all(exchange);
    }
    exchange->request = exchange->ssdb->request;
    exchange->request_length = exchange->ssdb->length;
    exchange->is_waiting = true;
    return true;
}

static void launch_one(oh_exchange *exchange, const oh_failure *refusal)
{
    if (!exchange->is_waiting) {
        return;
    }
    exchange->is_waiting = false;
    if (refusal) {
        *exchange->failure = *refusal;
        oh_exchange_fail(exchange);
    } else if (exchange->request_length == 0) {
        exchange->state = OH_EXCHANGE_COMPLETE;
    } else {
        oh_exchange_lease(exchange, false);
    }
}

void oh_exchange_launch(oh_exchange *exchange)
{
    oh_flight *flight = exchange->flight;

    for (uint32_t i = 0; flight && i < flight->members_count; i++) {
        launch_one(flight->members[i], flight->refusal);
    }
    launch_one(exchange, NULL);
}

/* ---- In ---- */

/* Looks at what has arrived and was not read yet, before the connection is given back. */
bool oh_exchange_fits_ssdb(oh_exchange *exchange)
{
    uint8_t scratch[SCRATCH_BYTES];
    size_t at = exchange->begin, written = 1;

    if (!exchange->ssdb->is_shaped) {
        return true;
    }
    oh_ssdb trial = *exchange->ssdb; /* Reading changes nothing but what is copied here. */
    while (!trial.is_broken && (at < exchange->end || written > 0)) {
        size_t length = exchange->end - at;

        written = oh_ssdb_read(&trial, exchange->replies + at, &length, scratch, sizeof scratch);
        at += length;
    }
    if (trial.is_broken) {
        oh_exchange_refuse_bytes(exchange, strange_reply);
    }
    return !trial.is_broken;
}

size_t oh_exchange_read_ssdb(oh_exchange *exchange, char *bytes, size_t size)
{
    for (;;) {
        size_t length = exchange->end - exchange->begin;
        size_t written = oh_ssdb_read(exchange->ssdb, exchange->replies + exchange->begin, &length, (uint8_t *)bytes, size);

        exchange->begin += length;
        if (OH_UNLIKELY(exchange->ssdb->is_broken)) {
            oh_exchange_refuse_bytes(exchange, strange_reply);
            return 0;
        }
        if (written > 0) {
            return written;
        }
        if (!oh_exchange_is_active(exchange)) {
            oh_exchange_run_dry(exchange);
            return 0;
        }
        oh_exchange_wait_until(exchange, oh_exchange_has_bytes_or_ended);
    }
}

void oh_exchange_release_ssdb(oh_exchange *exchange)
{
    if (exchange->ssdb) {
        oh_ssdb_release(exchange->ssdb);
        oh_call_release(exchange->ssdb);
        exchange->ssdb = NULL;
    }
}
