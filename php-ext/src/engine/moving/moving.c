/*
 * The interceptor: brings keys before the requests of a call are sent, and asks for keys when all
 * of their replies are in.
 */
#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/environment.h"
#include "engine/moving/moving_internal.h"

#define NS_PER_MS UINT64_C(1000000)

static oh_moving *of(oh_interceptor *interceptor)
{
    return (oh_moving *)interceptor;
}

/* ---- All of a call ---- */

/* The requests of one call. */
typedef struct call {
    oh_moving *all[OH_EXCHANGE_SET_MAX];
    uint32_t count;
} call;

static void before_return(oh_interceptor *interceptor, oh_exchange *exchange);

/* Collects the wanted ones from the set of this exchange. An exchange without a set is alone. */
static call collect(const oh_moving *moving, bool (*is_wanted)(const oh_moving *))
{
    oh_exchange *const alone = moving->exchange;
    const oh_exchange_set *set = alone->set;
    oh_exchange *const *members = set ? set->members : &alone;
    call it = {.count = 0};

    for (uint32_t i = 0; i < (set ? set->members_count : 1); i++) {
        oh_interceptor *interceptor = members[i]->interceptor;

        if (interceptor && interceptor->before_return == before_return &&
            is_wanted(of(interceptor))) {
            it.all[it.count++] = of(interceptor);
        }
    }
    return it;
}

/* ---- Before it is sent ---- */

static bool is_waiting(const oh_moving *moving)
{
    return moving->exchange->is_waiting;
}

/*
 * If keys must be brought, or an earlier exchange of the set waits, this one waits for the rest of
 * the set: connections are leased in the order of the nodes.
 */
static bool prepare(oh_interceptor *interceptor, oh_exchange *exchange)
{
    oh_moving *moving = of(interceptor);
    oh_exchange_set *set = exchange->set;

    moving->asked.count = moving->brought.count = moving->commands_count = 0;
    moving->is_open = false;
    oh_refusals_clear(moving);
    if (!exchange->terms.is_pinned && !oh_moving_find(moving)) {
        return false;
    }
    if (moving->brought.count == 0 && !(set && set->has_waiting)) {
        return true;
    }
    exchange->is_waiting = true;
    if (set) {
        set->has_waiting = true;
    }
    return false;
}

static void prepare_set(oh_interceptor *interceptor, oh_exchange *exchange)
{
    call waiting = collect(of(interceptor), is_waiting);

    (void)exchange;
    oh_moving_bring(waiting.all, waiting.count);
    for (uint32_t i = 0; i < waiting.count; i++) {
        oh_moving *moving = waiting.all[i];

        oh_moving_leave_out_brought(moving);
        oh_refusals_take_out(moving);
        moving->exchange->is_waiting = oh_exchange_is_idle(moving->exchange);
    }
}

static void begin(oh_interceptor *interceptor, oh_exchange *exchange)
{
    oh_moving *moving = of(interceptor);

    moving->is_open = moving->asked.count > 0 || moving->refused.count > 0;
    if (moving->is_open) {
        oh_exchange_gather(exchange, true);
    }
}

/* ---- Replies ---- */

static size_t read_replies(oh_interceptor *interceptor, oh_exchange *exchange, size_t count)
{
    oh_replies *replies = &exchange->replies;

    (void)interceptor;
    return oh_wire_read(&exchange->use.connection->wire, replies->bytes + replies->end, count);
}

/* Returns 0 as long as a reply may be replaced. */
static size_t readable(const oh_interceptor *interceptor, const oh_exchange *exchange)
{
    const oh_moving *moving = (const oh_moving *)interceptor;

    return moving->is_open ? 0 : oh_replies_length(&exchange->replies);
}

static bool is_open(const oh_moving *moving)
{
    return moving->is_open && !oh_exchange_is_idle(moving->exchange);
}

static bool is_answered(const oh_moving *moving)
{
    return is_open(moving) && oh_exchange_is_complete(moving->exchange);
}

/*
 * Waits for the other requests, so that all ask together. It stops when half the timeout has
 * passed: the rest is for asking, and a node that hangs must not take that time from the others.
 */
static void await_others(const oh_moving *moving, const call *open)
{
    oh_exchange *exchange = moving->exchange;
    const oh_exchange_set *set = exchange->set;
    uint64_t half_ns = exchange->times.deadline_ns - exchange->terms.timeout_ms * NS_PER_MS / 2;
    bool has_limit = exchange->terms.timeout_ms > 0;

    for (uint32_t i = 0; set && i < open->count; i++) {
        while (oh_exchange_is_active(open->all[i]->exchange)) {
            uint64_t now_ns = oh_clock_now_ns();

            if (has_limit && now_ns >= half_ns) {
                return;
            }
            oh_exchange_poll_once(set->members, set->members_count,
                has_limit ? (int)((half_ns - now_ns) / NS_PER_MS + 1) : -1);
        }
    }
}

static void before_return(oh_interceptor *interceptor, oh_exchange *exchange)
{
    oh_moving *moving = of(interceptor);

    if (!moving->is_open || oh_exchange_is_active(exchange)) {
        return;
    }
    if (oh_exchange_is_complete(exchange)) {
        call open = collect(moving, is_open);

        await_others(moving, &open);
        open = collect(moving, is_answered);
        for (uint32_t i = 0; i < open.count; i++) {
            oh_refusals_put_back(open.all[i]);
        }
        oh_moving_ask(open.all, open.count);
        for (uint32_t i = 0; i < open.count; i++) {
            oh_refusals_end(open.all[i]);
            open.all[i]->is_open = false;
            oh_exchange_gather(open.all[i]->exchange, false);
        }
    }
    moving->is_open = false;
    oh_exchange_gather(exchange, false);
}

/* ---- Beginning and end ---- */

static void free_moving(oh_interceptor *interceptor)
{
    oh_moving *moving = of(interceptor);

    oh_refusals_clear(moving);
    oh_call_release(moving->refused.all);
    oh_call_release(moving->refused.failures);
    oh_call_release(moving->asked.keys);
    oh_call_release(moving->brought.keys);
    oh_call_release(moving);
}

oh_moving *oh_moving_attach(oh_exchange *exchange, oh_snapshot *snapshot, uint32_t node)
{
    oh_moving *moving = oh_call_zeroed(1, sizeof *moving);

    if (moving) {
        moving->interceptor = (oh_interceptor){
            begin, read_replies, readable, before_return, free_moving, prepare, prepare_set};
        moving->exchange = exchange;
        moving->snapshot = snapshot;
        moving->node = node;
        oh_exchange_intercept(exchange, &moving->interceptor);
    }
    return moving;
}

const oh_refusal *oh_moving_refusals(const oh_moving *moving, uint32_t *count)
{
    *count = moving->refused.count;
    return moving->refused.all;
}

const oh_failure *oh_moving_failure(const oh_moving *moving, const oh_refusal *refusal)
{
    return &moving->refused.failures[refusal->failure];
}
