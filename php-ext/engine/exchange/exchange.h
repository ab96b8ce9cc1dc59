/*
 * Exchange: one write of the caller (a command, or a whole pipeline) to a node, and its replies.
 *
 *     prepare (terms) ─► run: begin, lease, send, receive ─► complete: settled, or held ─► read
 *                               └─ failed: the connection is closed; was the command executed?
 *
 * The caller (in PHP it is phpredis) passes all bytes of its commands in one write. The exchange
 * leases a connection, sends, and receives until the node owes nothing more. Only then, when every
 * reply is framed and counted, the caller begins to read, from memory. So it is clear if the
 * exchange succeeded before the caller uses a byte. A failure can be repaired or reported before
 * the caller notices. And the connection is back in the pool before the first value is unpacked.
 * Only replies larger than OH_REPLIES_AHEAD_BYTES are read while they arrive.
 *
 * While the request does not fit into the socket, replies are received, too. Otherwise a node that
 * stops reading until its replies are read (SSDB does) would stop both sides.
 *
 * Exchanges with several nodes are in one set: a wait for one of them advances all.
 *
 * A transaction needs one connection for many exchanges. Then the exchange keeps it: a clean
 * connection is not settled but held until the next write, and no other connection ever replaces
 * it.
 *
 * Implements spec/wire, section 5, and spec/route: deadline and outcome.
 */
#ifndef OH_ENGINE_EXCHANGE_H
#define OH_ENGINE_EXCHANGE_H

#include "core/resp/value.h"
#include "core/ssdb/ssdb.h"

#include "engine/exchange/replies.h"
#include "engine/exchange/request.h"
#include "engine/pool/pool.h"

#define OH_BLOCK_FOR_EVER UINT32_MAX
/* Nodes in one set; see scatter for the reason of the bound. */
#define OH_EXCHANGE_SET_MAX 64

struct oh_exchange;
struct oh_exchange_set;

/* The node of an exchange. */
typedef struct oh_peer {
    oh_connections *connections; /* NULL if there was no memory for them; then calls fail. */
    oh_meter *meter;             /* NULL for the same reason. */
    bool is_of_plain_pool;       /* Its server pool does not say "cluster: true". */
    /* Reads go to the fastest node, so the time of each read is kept. */
    bool compares_reads;
} oh_peer;

/*
 * The terms of a call: all that is special about it. All zeros: nothing special, and no deadline.
 */
typedef struct oh_call_terms {
    uint32_t timeout_ms;  /* 0 is none. */
    uint32_t block_ms;    /* How much longer a command may block; OH_BLOCK_FOR_EVER. */
    uint64_t deadline_ns; /* Instead of the deadline `timeout_ms` after the first write. */
    const char *preface;  /* A command, as it is written, in memory that stays, that is sent in
                             front of the request. Its reply is kept; an error in its place fails
                             the exchange. NULL: none. */
    oh_discards discards; /* Taken over. */
    uint32_t exec_count;  /* If `is_exec`: how many commands were queued. */
    bool is_exec;         /* its reply must be a list of as many. An error in its place is shown as
                             nil (phpredis 5.3.7 would wait for the replies of the commands). */
    bool has_multi;       /* Commands after a MULTI are sent once the node has answered it. */
    bool is_read_only;    /* May be sent again after a reused connection broke. */
    bool never_repeats;   /* Never send anything again. */
    bool is_iterated;     /* Many round trips (SCAN, HSCAN), each with its own deadline. */
    bool is_raw;          /* The caller wrote the words, and wants the unchanged reply. */
    bool is_unknown;      /* An unknown command: its connection is not used again. */
    bool is_pinned;       /* It is for exactly this node: a redirect is an ordinary answer. */
    bool gathers;         /* Keep all replies until the last one is in, however large. */
    bool goes_beyond;     /* It runs beside calls, and must not take their connections. */
} oh_call_terms;

/* The times of a call. */
typedef struct oh_call_times {
    uint64_t deadline_ns; /* Set by the first write, without block_ms; 0 until then. */
    uint32_t block_ms;    /* As in the terms, until there is a reply. */
    bool has_waited;      /* Time has passed since the deadline was set, so it must be checked. */
    /* When the caller wrote; 0 if the command blocks, so its time means nothing. */
    uint64_t begun_ns;
    /* When control went back to the caller before the end; 0 if it did not. */
    uint64_t left_ns;
} oh_call_times;

/* The connection of an exchange. */
typedef struct oh_connection_use {
    oh_connection *connection; /* Leased, with replies owed; or NULL. */
    /* Leased, and nothing is owed: it waits for the next write. Only while `keeps`. */
    oh_connection *held;
    bool keeps;       /* The connection is not settled when its replies are in. */
    bool was_held;    /* `held` was set since: no other connection may replace it. */
    bool is_reused;   /* It has carried exchanges before. */
    bool was_retried; /* It is the second connection of this request; */
    bool was_sent;    /* the first one may have carried it to the node. */
} oh_connection_use;

/* What is known about the answer so far. */
typedef struct oh_findings {
    /* Bytes of this attempt, including parts that the caller does not see. */
    uint64_t received;
    bool has_heard;       /* A byte of a reply has arrived. */
    bool has_error_reply; /* One of the replies is an error. */
    bool has_error;       /* The same, or one contains an error. */
    bool was_interrupted; /* The program has ended the wait. */
} oh_findings;

typedef enum oh_exchange_state {
    OH_EXCHANGE_IDLE,     /* Nothing was written since the begin of the call. */
    OH_EXCHANGE_OPENING,  /* The connection is being opened. */
    OH_EXCHANGE_MOVING,   /* Bytes go out and come in. */
    OH_EXCHANGE_COMPLETE, /* All is answered, and the connection is settled. */
    OH_EXCHANGE_FAILED    /* The failure says why; the connection is closed. */
} oh_exchange_state;

/*
 * Functions that may change a node's answers: redirects has them for nodes of a Redis Cluster. An
 * interceptor lives as long as the exchange. Each function may fail the exchange.
 */
typedef struct oh_interceptor {
    /* A request is about to be sent. */
    void (*begin)(struct oh_interceptor *interceptor, struct oh_exchange *exchange);
    /* Like oh_wire_read, for `count` bytes after the replies. */
    size_t (*read)(struct oh_interceptor *interceptor, struct oh_exchange *exchange, size_t count);
    /* How many bytes of the replies the caller may have. */
    size_t (*readable)(
        const struct oh_interceptor *interceptor, const struct oh_exchange *exchange);
    /* The caller is about to go on: now replies, or a failure, may be replaced. */
    void (*meet)(struct oh_interceptor *interceptor, struct oh_exchange *exchange);
    void (*free)(struct oh_interceptor *interceptor);
} oh_interceptor;

typedef struct oh_exchange {
    oh_exchange_state state;
    /* A call is going on. Bytes that the caller writes between calls are not sent. */
    bool is_called;
    /* Translated for SSDB; it is sent when all of its set are translated. */
    bool is_waiting;
    oh_peer peer;
    oh_call_terms terms;
    oh_call_times times;
    oh_connection_use use;
    oh_request request;
    oh_replies replies;
    oh_findings found;
    oh_preface preface;
    oh_failure *failure;         /* Memory of the caller. */
    oh_interceptor *interceptor; /* NULL if there is none. */
    /* Between the caller and a node that is SSDB; NULL before its first request. */
    oh_ssdb *ssdb;
    struct oh_exchange_set *set; /* The set it is in; NULL if it is alone. */
} oh_exchange;

/* Exchanges that advance together. */
typedef struct oh_exchange_set {
    oh_exchange *members[OH_EXCHANGE_SET_MAX];
    uint32_t members_count;
    void (*start_others)(
        struct oh_exchange_set *);          /* Called once each member has sent what it could. */
    void (*look)(struct oh_exchange_set *); /* Called before each wait, if it is not NULL. */
    void *looker;
    /* A member that may not be sent to SSDB. Then nothing is sent to any node. */
    const oh_failure *refusal;
} oh_exchange_set;

/* ---- Life ---- */

/* Sets up an exchange of all zeros. `failure` takes its failures. oh_exchange_end ends it. */
static inline void oh_exchange_make(oh_exchange *exchange, oh_peer peer, oh_failure *failure)
{
    exchange->peer = peer;
    exchange->failure = failure;
}

/* The exchange takes it over. */
static inline void oh_exchange_intercept(oh_exchange *exchange, oh_interceptor *interceptor)
{
    exchange->interceptor = interceptor;
}

/* Between two calls: the same node in another version of its server pool. */
static inline void oh_exchange_set_peer(oh_exchange *exchange, oh_peer peer)
{
    exchange->peer = peer;
}

/* Ends the exchange that is going on. Nothing can be sent any more. */
void oh_exchange_shut(oh_exchange *exchange);

/* Leaves its set and frees what it holds. */
void oh_exchange_end(oh_exchange *exchange);

/* ---- A call ---- */

/* Begins a call. Its deadline counts from its first write, unless the terms have another one. */
void oh_exchange_prepare(oh_exchange *exchange, const oh_call_terms *terms, oh_exchange_set *set);

/*
 * Sends a request to the node and waits for a reply. False if it failed: then the caller is told
 * that nothing was written.
 */
bool oh_exchange_run(oh_exchange *exchange, const char *request, size_t length);

/*
 * The same without waiting. The exchange advances whenever a caller waits for its set, or for it
 * alone with `await`.
 */
void oh_exchange_start(oh_exchange *exchange, const char *request, size_t length);
void oh_exchange_await(oh_exchange *exchange);

/* Advances some exchanges and waits at most `wait_ms`, for work that runs beside calls. */
void oh_exchange_glance(oh_exchange *const *members, uint32_t count, int milliseconds);

/* Its set ends, and it goes on alone. */
static inline void oh_exchange_go_alone(oh_exchange *exchange)
{
    exchange->set = NULL;
}

/* From here on the deadline is that of a non-blocking command. */
void oh_exchange_end_blocking(oh_exchange *exchange);

/* Reads up to `size` bytes of replies, and waits if there are none yet. 0 if there are no more. */
size_t oh_exchange_read(oh_exchange *exchange, char *bytes, size_t size);

/* Ends the call, without waiting for further replies. Its state and failure stay. */
void oh_exchange_finish(oh_exchange *exchange);

/*
 * Ends it with the failure that its owner, or its interceptor, has set; or because there is no
 * memory.
 */
void oh_exchange_fail(oh_exchange *exchange);
void oh_exchange_fail_without_memory(oh_exchange *exchange);

/*
 * keep: from the next write on the connection is kept. give_back ends that: the connection goes
 * back to the pool or, unless `is_clean`, is closed, which ends all state that the node has for it.
 * A call that is going on can send nothing more.
 */
void oh_exchange_keep(oh_exchange *exchange);
void oh_exchange_give_back(oh_exchange *exchange, bool is_clean);

/* ---- What has become of it ---- */

/* True if bytes are still to be sent or received. */
static inline bool oh_exchange_is_active(const oh_exchange *exchange)
{
    return exchange->state == OH_EXCHANGE_OPENING || exchange->state == OH_EXCHANGE_MOVING;
}

static inline bool oh_exchange_has_failed(const oh_exchange *exchange)
{
    return exchange->state == OH_EXCHANGE_FAILED;
}

static inline bool oh_exchange_is_complete(const oh_exchange *exchange)
{
    return exchange->state == OH_EXCHANGE_COMPLETE;
}

static inline bool oh_exchange_is_idle(const oh_exchange *exchange)
{
    return exchange->state == OH_EXCHANGE_IDLE;
}

/* True if the node has the whole request and has not begun to answer it. */
static inline bool oh_exchange_is_waiting(const oh_exchange *exchange)
{
    return exchange->state == OH_EXCHANGE_MOVING && oh_request_is_sent(&exchange->request) &&
           !exchange->preface.number && oh_replies_length(&exchange->replies) == 0;
}

/* True if one of the replies is an error; the other one: or contains an error. */
static inline bool oh_exchange_has_error_reply(const oh_exchange *exchange)
{
    return exchange->found.has_error_reply;
}

static inline bool oh_exchange_has_error(const oh_exchange *exchange)
{
    return exchange->found.has_error;
}

/* The caller has repaired the cause. */
static inline void oh_exchange_forget_error_reply(oh_exchange *exchange)
{
    exchange->found.has_error_reply = false;
}

/* True if the program has ended the wait. */
static inline bool oh_exchange_was_interrupted(const oh_exchange *exchange)
{
    return exchange->found.was_interrupted;
}

/*
 * True if a connection is held for the next write. The other returns the last error on it; length 0
 * if there was none.
 */
static inline bool oh_exchange_holds(const oh_exchange *exchange)
{
    return exchange->use.held != NULL;
}

static inline oh_text oh_exchange_held_error_reply(const oh_exchange *exchange)
{
    return (oh_text){
        exchange->use.held->wire.error_text, exchange->use.held->wire.error_text_length};
}

/*
 * The framed replies that are not read yet, valid until the next receive; and how much memory they
 * have.
 */
static inline oh_bytes oh_exchange_replies(const oh_exchange *exchange)
{
    return oh_replies_unread(&exchange->replies);
}

/* Takes the first of them. */
static inline oh_bytes oh_exchange_take_reply(oh_exchange *exchange)
{
    return oh_replies_take(&exchange->replies);
}

static inline size_t oh_exchange_capacity(const oh_exchange *exchange)
{
    return exchange->replies.capacity;
}

/* The reply of the preface, cut to its room. */
static inline oh_values oh_exchange_preface_reply(const oh_exchange *exchange)
{
    return oh_values_of(exchange->preface.reply, exchange->preface.reply_length);
}

/* ---- For an interceptor ---- */

/* Sets if all replies are kept until the last one is in. */
static inline void oh_exchange_gather(oh_exchange *exchange, bool gathers)
{
    exchange->replies.gathers = gathers;
}

/*
 * It has failed, but its replies will come from another exchange. It becomes complete, without
 * replies.
 */
void oh_exchange_revive(oh_exchange *exchange);

/*
 * Replaces the replies, which are all in, with these. Takes over the memory, which is of the call.
 */
void oh_exchange_replace(
    oh_exchange *exchange, uint8_t *replies, size_t length, bool has_error_reply, bool has_error);

/* Fails it with the failure of another exchange that worked for it. */
void oh_exchange_fail_like(oh_exchange *exchange, const oh_exchange *other);

#endif
