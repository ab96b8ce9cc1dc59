/*
 * The interceptor: brings keys before a request is sent, and asks for keys when all of its replies
 * are in.
 */
#include "engine/base/environment.h"
#include "engine/moving/moving_internal.h"

static oh_moving *of(oh_interceptor *interceptor)
{
    return (oh_moving *)interceptor;
}

/* False if nothing must be sent: the exchange has failed, or has its answer. */
static bool prepare(oh_interceptor *interceptor, oh_exchange *exchange)
{
    oh_moving *moving = of(interceptor);

    moving->asked.count = moving->brought.count = 0;
    if (exchange->terms.is_pinned) {
        return true;
    }
    return oh_moving_find(moving, exchange) &&
           (moving->brought.count == 0 || oh_moving_bring(moving, exchange));
}

static void begin(oh_interceptor *interceptor, oh_exchange *exchange)
{
    if (of(interceptor)->asked.count > 0) {
        oh_exchange_gather(exchange, true);
    }
}

static size_t read_replies(oh_interceptor *interceptor, oh_exchange *exchange, size_t count)
{
    oh_replies *replies = &exchange->replies;

    (void)interceptor;
    return oh_wire_read(&exchange->use.connection->wire, replies->bytes + replies->end, count);
}

/* Nothing, as long as a reply may be replaced. */
static size_t readable(const oh_interceptor *interceptor, const oh_exchange *exchange)
{
    const oh_moving *moving = (const oh_moving *)interceptor;

    return moving->asked.count > 0 ? 0 : oh_replies_length(&exchange->replies);
}

static void meet(oh_interceptor *interceptor, oh_exchange *exchange)
{
    oh_moving *moving = of(interceptor);

    if (oh_exchange_is_active(exchange) || moving->asked.count == 0) {
        return;
    }
    if (oh_exchange_is_complete(exchange)) {
        oh_moving_ask(moving, exchange);
    }
    moving->asked.count = 0;
    oh_exchange_gather(exchange, false);
}

static void free_moving(oh_interceptor *interceptor)
{
    oh_moving *moving = of(interceptor);

    oh_call_release(moving->asked.keys);
    oh_call_release(moving->brought.keys);
    oh_call_release(moving);
}

bool oh_moving_attach(oh_exchange *exchange, oh_snapshot *snapshot, uint32_t node)
{
    oh_moving *moving = oh_call_zeroed(1, sizeof *moving);

    if (moving) {
        moving->interceptor =
            (oh_interceptor){begin, read_replies, readable, meet, free_moving, prepare};
        moving->snapshot = snapshot;
        moving->node = node;
        oh_exchange_intercept(exchange, &moving->interceptor);
    }
    return moving != NULL;
}
