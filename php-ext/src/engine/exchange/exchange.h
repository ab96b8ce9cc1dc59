/*
 * Exchange: one write of the caller (a command, or a whole pipeline) to a node, and its replies.
 *
 *     prepare (terms) ─► run: begin, lease, send, receive ─► complete: settled, or held ─► read
 *                               └─ failed: the connection is closed; was the command executed?
 *
 * The caller (in PHP it is phpredis) passes all bytes of its commands in one write. The exchange
 * leases a connection, sends, and receives until the node owes nothing more. The caller begins to
 * read, from memory, only after every reply is framed and counted. So the exchange has succeeded or
 * failed before the caller uses a byte. A failure can be repaired or reported before the caller
 * notices. The connection is back in the pool before the first value is unpacked. Only replies
 * larger than OH_REPLIES_AHEAD_BYTES are read while they arrive.
 *
 * While the rest of a request waits for room in the socket, replies are received. Otherwise a node
 * that stops reading until its replies are read (as SSDB does) would cause a deadlock.
 *
 * Exchanges with several nodes are in one set: a wait for one of them advances all.
 *
 * A transaction needs one dedicated connection for many exchanges. Then the exchange keeps it: a
 * clean connection is not settled but held until the next write, and no other connection ever
 * replaces it.
 *
 * Implements spec/wire, section 5, and spec/route: deadline and outcome.
 */
#ifndef OH_ENGINE_EXCHANGE_H
#define OH_ENGINE_EXCHANGE_H

#include "core/cluster/redirect.h"
#include "core/resp/value.h"
#include "core/ssdb/ssdb.h"

#include "engine/exchange/replies.h"
#include "engine/exchange/request.h"
#include "engine/pool/meter.h"
#include "engine/pool/pool.h"

#define OH_BLOCK_FOR_EVER UINT32_MAX
/* Maximum of nodes in one set; php/scatter/scatter.h explains the limit. */
#define OH_EXCHANGE_SET_MAX 64

struct oh_exchange;
struct oh_exchange_set;

/* Checks whether the request of an exchange that waits should go to another node (room resend). */
typedef struct oh_lookout {
    oh_leaving (*check)(
        struct oh_lookout *lookout, const struct oh_exchange *exchange, uint64_t now_ns);
    uint32_t every_ms; /* How soon to check again. */
} oh_lookout;

/* The node of an exchange. */
typedef struct oh_peer {
    oh_connections *connections; /* NULL if there was no memory; calls fail then. */
    oh_metered *metered;         /* NULL for the same reason. */
    bool is_of_plain_pool;       /* Its server pool does not have "cluster: true". */
    bool is_watched;             /* Sentinels name its address. */
    /* Another node may answer the reads that this one fails to answer. */
    bool may_fall_back;
    /* Reads go to the fastest node, so the latency of each read is recorded. */
    bool compares_reads;
    oh_database database; /* The database in which its commands are executed. */
    /*
     * For a node of a plain server pool: it becomes the interceptor when the node has answered
     * READONLY. If the node is watched or may have a fallback, it also does so when an exchange
     * with the node has failed. NULL for all other nodes. It belongs to the caller, and lives as
     * long as the peer.
     */
    struct oh_interceptor *succession;
    /* It also belongs to the caller. NULL if no other node can answer for this one. */
    oh_lookout *lookout;
} oh_peer;

/* Judges replies before the caller reads them. */
typedef struct oh_promise {
    /* True if all replies have the form that the request promises. */
    bool (*holds)(const struct oh_promise *promise, oh_bytes request, oh_bytes replies);
} oh_promise;

/* The terms of a call: its options. All zeros is an ordinary call without a deadline. */
typedef struct oh_call_terms {
    uint32_t timeout_ms; /* 0 is none. */
    /* A blocking command's own timeout, which is added to the deadline; or OH_BLOCK_FOR_EVER. */
    uint32_t block_ms;
    uint64_t deadline_ns; /* If set, it replaces the deadline that timeout_ms would set. */
    /*
     * An encoded command, in static memory, that is sent before the request. If its reply is an
     * error, the exchange fails. NULL if none.
     */
    const char *preface;
    oh_discards discards;      /* Taken over. */
    const oh_promise *promise; /* If set, all replies are gathered and judged by it. */
    /*
     * For SCAN: the cursor that is sent in place of the caller's; afterwards the cursor that the
     * node has answered. phpredis 5.3.7 cannot hold a cursor of 64 bits. NULL for all other
     * commands.
     */
    uint64_t *cursor;
    /*
     * If it is chosen, the request is SELECT of this database. Its connection may be in any
     * database before, and is in this one afterwards.
     */
    oh_database selects;
    uint32_t exec_count;     /* If `is_exec`: how many commands were queued. */
    uint32_t commands_count; /* Set by oh_exchange_start_whole; otherwise 0. */
    /*
     * The reply must be a list of `exec_count` replies. An error reply is passed on as nil
     * (phpredis 5.3.7 would wait for the replies of the commands).
     */
    bool is_exec;
    bool has_multi;     /* Commands after a MULTI are sent only after the node has answered it. */
    bool is_read_only;  /* May be retried after a reused connection broke. */
    bool never_repeats; /* Never retry. */
    /* One call with several round trips (SCAN, HSCAN), each with its own deadline. */
    bool is_iterated;
    bool is_raw;      /* The caller wrote the words itself and expects the unchanged reply. */
    bool is_unknown;  /* An unknown command: its connection is not reused. */
    bool is_pinned;   /* Only for this node: redirects are not followed. */
    bool gathers;     /* Keep all replies until the last one has arrived, even large ones. */
    bool goes_beyond; /* Background work, which must not take connections from calls. */
} oh_call_terms;

/* The times of a call. */
typedef struct oh_call_times {
    uint64_t deadline_ns; /* Set by the first write; does not include block_ms. 0 until then. */
    uint32_t block_ms;    /* As in the terms, until there is a reply. */
    bool has_waited;      /* Time has passed since the deadline was set, so it must be checked. */
    /* When the caller wrote. 0 for blocking commands, which are not timed. */
    uint64_t begun_ns;
    uint64_t waits_since_ns; /* When the caller wrote a blocking command; 0 for others. */
    /*
     * When the first check after the deadline was. Before that check, the value is less than the
     * deadline.
     */
    uint64_t late_ns;
    /* When control returned to the caller before the exchange ended; 0 if it did not. */
    uint64_t left_ns;
    uint64_t check_ns; /* When its lookout checks next; 0 before its first wait. */
} oh_call_times;

/* The connection of an exchange. */
typedef struct oh_connection_use {
    oh_connection *connection; /* Leased, with pending replies; or NULL. */
    /* Leased, without pending replies, for the next write. Only if `keeps`. */
    oh_connection *held;
    bool keeps;       /* The connection is held, not settled, after its replies. */
    bool was_held;    /* `held` was set after `keeps`: no other connection may replace it. */
    bool is_reused;   /* It has carried exchanges before. */
    bool was_retried; /* The request is on its second connection. */
    bool was_sent;    /* An earlier connection may have delivered the request. */
} oh_connection_use;

/* What is known about the answer so far. */
typedef struct oh_findings {
    /* Bytes received in this attempt, including those that the caller does not see. */
    uint64_t received;
    bool has_heard;       /* A byte of a reply has arrived. */
    bool has_error_reply; /* A reply is an error. */
    bool has_error;       /* A reply is an error or contains one. */
    bool was_interrupted; /* The program ended the wait. */
    oh_leaving leaving;   /* It has failed so that its request can be sent to another node. */
} oh_findings;

typedef enum oh_exchange_state {
    OH_EXCHANGE_IDLE,     /* Nothing was written since the call began. */
    OH_EXCHANGE_OPENING,  /* The connection is being opened. */
    OH_EXCHANGE_MOVING,   /* Bytes go out and come in. */
    OH_EXCHANGE_COMPLETE, /* All replies have arrived, and the connection is settled or held. */
    OH_EXCHANGE_FAILED    /* The failure says why; the connection is closed. */
} oh_exchange_state;

/*
 * Functions that may replace a node's replies. Room resend implements them. An interceptor lives as
 * long as its exchange. Each function may fail the exchange.
 */
typedef struct oh_interceptor {
    /* A request is about to be sent. */
    void (*begin)(struct oh_interceptor *interceptor, struct oh_exchange *exchange);
    /* Like oh_wire_read, for `count` bytes after the replies. */
    size_t (*read)(struct oh_interceptor *interceptor, struct oh_exchange *exchange, size_t count);
    /* How many bytes of the replies the caller may read. */
    size_t (*readable)(
        const struct oh_interceptor *interceptor, const struct oh_exchange *exchange);
    /* Called before the caller continues. May replace replies or a failure. */
    void (*before_return)(struct oh_interceptor *interceptor, struct oh_exchange *exchange);
    void (*free)(struct oh_interceptor *interceptor);
    /*
     * A request has been written, and nothing is leased for it. False if it must not be sent now:
     * the exchange has failed, or waits until all members of its set are prepared. NULL if there is
     * nothing to do.
     */
    bool (*prepare)(struct oh_interceptor *interceptor, struct oh_exchange *exchange);
    /*
     * Called when all members of the set are prepared. Does what the waiting exchanges need before
     * they are sent. Those that fail, or get their replies here, stop waiting. NULL if `prepare`
     * never makes an exchange wait.
     */
    void (*prepare_set)(struct oh_interceptor *interceptor, struct oh_exchange *exchange);
} oh_interceptor;

typedef struct oh_exchange {
    oh_exchange_state state;
    /* During a call. Bytes that the caller writes between calls are not sent. */
    bool is_called;
    /* It is prepared, or translated for SSDB. It is sent when all members of its set are. */
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
    /* Translates for an SSDB node; NULL before the first request. */
    oh_ssdb *ssdb;
    struct oh_exchange_set *set; /* Its set; NULL if it is alone. */
} oh_exchange;

/* Exchanges that advance together. */
typedef struct oh_exchange_set {
    oh_exchange *members[OH_EXCHANGE_SET_MAX];
    uint32_t members_count;
    /* Called after a member has sent what it could. */
    void (*start_others)(struct oh_exchange_set *);
    bool has_waiting; /* A member waits until all are prepared. */
    /* Set if SSDB cannot execute the request of a member. Then nothing is sent to any node. */
    const oh_failure *refusal;
    /*
     * If this set sends commands again that a member of another set has sent: that set. Its members
     * may have the last connections that this set needs. So while this set waits for a connection,
     * it calls oh_exchange_set_advances, until they have given them back.
     */
    const struct oh_exchange_set *around;
    bool (*advances)(const struct oh_exchange_set *around, const oh_connections *connections,
        uint64_t deadline_ns);
} oh_exchange_set;

/* ---- Setting up and ending ---- */

/*
 * Sets up an exchange of all zeros. Failures are stored in `failure`. The caller ends it with
 * oh_exchange_end.
 */
static inline void oh_exchange_make(oh_exchange *exchange, oh_peer peer, oh_failure *failure)
{
    exchange->peer = peer;
    exchange->failure = failure;
}

/* Sets the interceptor, which the exchange takes over. */
static inline void oh_exchange_intercept(oh_exchange *exchange, oh_interceptor *interceptor)
{
    exchange->interceptor = interceptor;
}

/* Switches to the same node in another version of its server pool. Only between two calls. */
static inline void oh_exchange_set_peer(oh_exchange *exchange, oh_peer peer)
{
    exchange->peer = peer;
}

/* Ends the current exchange. After that nothing can be sent. */
void oh_exchange_shut(oh_exchange *exchange);

/* Leaves its set and frees what it holds. */
void oh_exchange_end(oh_exchange *exchange);

/* ---- A call ---- */

/* Begins a call. Its deadline counts from the first write, unless the terms have a deadline. */
void oh_exchange_prepare(oh_exchange *exchange, const oh_call_terms *terms, oh_exchange_set *set);

/*
 * Sends a request to the node and waits for a reply. Returns false if the exchange failed; for
 * phpredis, the write has failed then.
 */
bool oh_exchange_run(oh_exchange *exchange, const char *request, size_t length);

/*
 * Like run, without waiting. The exchange advances whenever a caller waits for its set, or for it
 * alone with `await`.
 */
void oh_exchange_start(oh_exchange *exchange, const char *request, size_t length);
void oh_exchange_await(oh_exchange *exchange);

/*
 * Like oh_exchange_start, for this many whole commands within the limits of wire, which does not
 * frame them again. The caller itself judges the replies. Only for terms without preface, discards,
 * cursor and `is_exec`. The bytes must stay until oh_exchange_conclude, which waits for a reply
 * like oh_exchange_run.
 */
void oh_exchange_start_whole(
    oh_exchange *exchange, const char *request, size_t length, uint32_t commands_count);
bool oh_exchange_conclude(oh_exchange *exchange);

/* Sends the requests of the members that wait, now that all are started. */
void oh_exchange_set_send_waiting(oh_exchange_set *set);

/*
 * Advances all members for a moment, if one of them uses a connection of this pool. False if there
 * is none, or the deadline (0: there is none) has passed, or the program ends.
 */
bool oh_exchange_set_advances(
    const oh_exchange_set *set, const oh_connections *connections, uint64_t deadline_ns);

/* Advances some exchanges, waiting at most `milliseconds`, for work that runs beside calls. */
void oh_exchange_poll_once(oh_exchange *const *members, uint32_t count, int milliseconds);

/* Reads up to `size` bytes of replies, and waits if there are none yet. 0 if there are no more. */
size_t oh_exchange_read(oh_exchange *exchange, char *bytes, size_t size);

/*
 * For a caller that reads replies where they are. unread: the replies that have arrived; the last
 * one may be incomplete. They are valid until the next receive. skip: `count` bytes of them were
 * read. take_reply: returns the first one, and skips it. receive_more: waits for more. False if no
 * more will come, or if the caller must first read what is unread.
 */
oh_bytes oh_exchange_unread(const oh_exchange *exchange);
void oh_exchange_skip(oh_exchange *exchange, size_t count);
static inline oh_bytes oh_exchange_take_reply(oh_exchange *exchange)
{
    return oh_replies_take(&exchange->replies);
}
bool oh_exchange_receive_more(oh_exchange *exchange);

/* Waits for all replies. Returns false if the exchange failed. */
bool oh_exchange_receive_all(oh_exchange *exchange);

/* Ends the call without waiting for further replies. Keeps state and failure. */
void oh_exchange_finish(oh_exchange *exchange);

/*
 * Fails the exchange with the failure that its owner or interceptor has set, or because there is no
 * memory.
 */
void oh_exchange_fail(oh_exchange *exchange);
void oh_exchange_fail_without_memory(oh_exchange *exchange);

/* Fails the exchange because its replies do not have the form that the request promises. */
void oh_exchange_refuse_form(oh_exchange *exchange);

/*
 * keep: from the next write on, the connection is held. give_back ends that: if `is_clean`, the
 * connection returns to the pool; otherwise it is closed, which also ends its state at the node. A
 * current call can send nothing more.
 */
void oh_exchange_keep(oh_exchange *exchange);
void oh_exchange_give_back(oh_exchange *exchange, bool is_clean);

/* ---- State ---- */

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

/*
 * has_error_reply: true if a reply is an error. The other function: also if one contains an error.
 */
static inline bool oh_exchange_has_error_reply(const oh_exchange *exchange)
{
    return exchange->found.has_error_reply;
}

static inline bool oh_exchange_has_error(const oh_exchange *exchange)
{
    return exchange->found.has_error;
}

/* Clears has_error_reply after the caller has repaired the cause. */
static inline void oh_exchange_forget_error_reply(oh_exchange *exchange)
{
    exchange->found.has_error_reply = false;
}

/* True if the program has ended the wait. */
static inline bool oh_exchange_was_interrupted(const oh_exchange *exchange)
{
    return exchange->found.was_interrupted;
}

/* When its caller began to wait. */
static inline uint64_t oh_exchange_begun_ns(const oh_exchange *exchange)
{
    const oh_call_times *times = &exchange->times;

    return times->begun_ns ? times->begun_ns : times->waits_since_ns;
}

/*
 * True if another node may answer the request, as far as this room can tell. Room resend checks
 * whether all of its commands read keys, and whether there is another node that may answer.
 */
static inline bool oh_exchange_may_fall_back(const oh_exchange *exchange)
{
    const oh_call_terms *terms = &exchange->terms;

    return exchange->peer.may_fall_back && terms->is_read_only && !terms->never_repeats &&
           !terms->is_pinned && !terms->cursor;
}

/* True if it has failed so that its request can be sent to another node. */
static inline bool oh_exchange_has_left(const oh_exchange *exchange)
{
    return exchange->found.leaving != OH_LEAVING_STAY;
}

/*
 * holds: true if a connection is held for the next write. held_error_reply: the last error reply on
 * that connection; length 0 if there was none.
 */
static inline bool oh_exchange_holds(const oh_exchange *exchange)
{
    return exchange->use.held != NULL;
}

/*
 * Sets the failure of a transaction whose MULTI was answered by this error: NodeDown if the node is
 * unwell (LOADING), else Unsupported.
 */
void oh_exchange_say_multi_refused(oh_failure *failure, oh_outcome outcome, oh_text error);

static inline oh_text oh_exchange_held_error_reply(const oh_exchange *exchange)
{
    return oh_wire_error_text(&exchange->use.held->wire);
}

/* The size of the memory of the replies. */
static inline size_t oh_exchange_capacity(const oh_exchange *exchange)
{
    return exchange->replies.capacity;
}

/* ---- For an interceptor ---- */

/* Sets whether all replies are kept until the last one has arrived. */
static inline void oh_exchange_gather(oh_exchange *exchange, bool gathers)
{
    exchange->replies.gathers = gathers;
}

/* Makes a failed exchange complete, without replies, because another exchange will provide them. */
void oh_exchange_mark_complete(oh_exchange *exchange);

/*
 * Replaces all replies, which must have arrived, by `replies`: memory of the call, which it takes
 * over.
 */
void oh_exchange_replace(
    oh_exchange *exchange, uint8_t *replies, size_t length, bool has_error_reply, bool has_error);

/* Fails the exchange with the failure of another exchange that was sent on its behalf. */
void oh_exchange_fail_like(oh_exchange *exchange, const oh_exchange *other);

#endif
