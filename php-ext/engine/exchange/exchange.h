/*
 * Exchange: one write of the caller (a command, or a whole pipeline) out to a node, and its replies
 * in.
 *
 *     prepare (terms) ─► run: begin, lease, send, receive ─► complete: settled, or held ─► read
 *                               └─ failed: the connection is closed; was the command executed?
 *
 * The caller (in PHP it is phpredis) hands over all bytes of its commands at once. The exchange
 * leases a connection, sends, and receives until the node owes nothing more; only then, with every
 * reply framed and counted, does the caller begin to read, from memory. So it is known whether the
 * exchange succeeded before the caller has believed a byte; a failure can be repaired or reported
 * without the caller noticing; and the connection is back in the pool before the first value is
 * unpacked. Only replies larger than OH_REPLIES_AHEAD_BYTES are read while they arrive.
 *
 * While the request does not fit into the socket the replies are received too: a node that stops
 * reading until its replies are read (SSDB does) must not bring both to a halt.
 *
 * Exchanges of several nodes travel together in a set: whoever waits moves all of them.
 *
 * A transaction needs one connection for many exchanges. Then the exchange keeps it: what comes
 * back clean is not settled but held until the next write, and no other connection ever takes its
 * place.
 *
 * Implements spec/route: deadline, outcome, what may be tried again.
 */
#ifndef OH_ENGINE_EXCHANGE_H
#define OH_ENGINE_EXCHANGE_H

#include "core/ssdb/ssdb.h"

#include "engine/exchange/replies.h"
#include "engine/exchange/request.h"
#include "engine/pool/pool.h"

#define OH_BLOCK_FOR_EVER UINT32_MAX
/* Nodes that are spoken to at once; see scatter for why there is a bound. */
#define OH_EXCHANGE_SET_MAX 64

struct oh_exchange;
struct oh_exchange_set;

/* With which node. */
typedef struct oh_peer {
    oh_connections *connections; /* NULL: there was no memory for them, and calls fail for that. */
    oh_meter *meter;             /* Likewise. */
    bool is_of_plain_pool;       /* Its server pool does not say "cluster: true". */
    /* Reads go to the fastest node: how long each one takes is remembered. */
    bool compares_reads;
} oh_peer;

/*
 * On which terms a call is made: all that is special about it. All zeros: nothing is, and it may
 * last for ever.
 */
typedef struct oh_call_terms {
    uint32_t timeout_ms;  /* 0: none. */
    uint32_t block_ms;    /* How much longer a command may block; OH_BLOCK_FOR_EVER. */
    uint64_t deadline_ns; /* In the place of that which is `timeout_ms` after the first write. */
    const char *preface;  /* A command, as it is written, in memory that stays, that is sent in
                             front of the request. Its reply is kept; an error in its place fails
                             the exchange. NULL: none. */
    oh_discards discards; /* Taken over. */
    uint32_t exec_count;  /* The request is EXEC after so many commands: */
    bool is_exec;         /* its reply must be a list of as many. An error in its place is shown as
                             nil (phpredis 5.3.7 would wait for the replies of the commands). */
    bool has_multi;       /* What follows a MULTI is sent once the node has answered that. */
    bool is_read_only;    /* May be sent again after a reused connection broke. */
    bool never_repeats;   /* Nothing is sent again, whatever it is. */
    bool is_iterated;     /* Many round trips (SCAN, HSCAN): each has a deadline of its own. */
    bool is_raw;          /* The caller wrote the words, and wants the reply as it is. */
    bool is_unknown;      /* What it does to its connection is not known: nothing else uses it. */
    bool is_pinned;       /* It is about this very node: where that redirects to is the answer. */
    bool gathers;         /* All replies are kept until the last one is in, however large. */
    bool goes_beyond;     /* It goes on beside calls, and takes no connection they may need. */
} oh_call_terms;

/* Until when. */
typedef struct oh_call_times {
    uint64_t deadline_ns; /* Set when the call first writes, without block_ms; 0 until then. */
    uint32_t block_ms;    /* As in the terms, until there is a reply. */
    bool has_waited;      /* Time has passed since the deadline was set: it must be looked at. */
    /* When the caller wrote; 0: how long it takes is the wish of the caller. */
    uint64_t begun_ns;
    /* When the caller was given back control in the middle of it; 0: it was not. */
    uint64_t left_ns;
} oh_call_times;

/* The connection, and how it is used. */
typedef struct oh_connection_use {
    oh_connection *connection; /* Leased, with replies owed; or NULL. */
    /* Leased, owing nothing: it waits for the next write. Only while `keeps`. */
    oh_connection *held;
    bool keeps;       /* The connection is not given back when its replies are in. */
    bool was_held;    /* `held` was set since: no other connection may take its place. */
    bool is_reused;   /* It has carried exchanges before. */
    bool was_retried; /* It is the second one of this request; */
    bool was_sent;    /* the first one may have carried it to the node. */
} oh_connection_use;

/* What was learnt of the answer so far. */
typedef struct oh_findings {
    /* Bytes of this attempt, the parts that the caller does not see included. */
    uint64_t received;
    bool has_heard;       /* A byte of a reply has arrived. */
    bool has_error_reply; /* One of the replies is an error. */
    bool has_error;       /* The same, or one has an error in it. */
    bool was_interrupted; /* The program has given up the wait. */
} oh_findings;

typedef enum oh_exchange_state {
    OH_EXCHANGE_IDLE,     /* Nothing was written since the call began. */
    OH_EXCHANGE_OPENING,  /* The connection is being made. */
    OH_EXCHANGE_MOVING,   /* Bytes go out and come in. */
    OH_EXCHANGE_COMPLETE, /* Everything was answered; the connection has been settled. */
    OH_EXCHANGE_FAILED    /* The failure says how; the connection has been closed. */
} oh_exchange_state;

/*
 * Whoever has a say in what a node answers: redirects, for a node of a Redis Cluster. It lives as
 * long as the exchange. Each of these may fail the exchange.
 */
typedef struct oh_interceptor {
    /* A request is about to be sent. */
    void (*begin)(struct oh_interceptor *interceptor, struct oh_exchange *exchange);
    /* As oh_wire_read, of `count` bytes behind the replies. */
    size_t (*read)(struct oh_interceptor *interceptor, struct oh_exchange *exchange, size_t count);
    /* How many bytes of the replies may be given out. */
    size_t (*readable)(
        const struct oh_interceptor *interceptor, const struct oh_exchange *exchange);
    /*
     * The caller is about to go on: whatever is to take the place of replies, or of a failure, must
     * do so now.
     */
    void (*meet)(struct oh_interceptor *interceptor, struct oh_exchange *exchange);
    void (*free)(struct oh_interceptor *interceptor);
} oh_interceptor;

typedef struct oh_exchange {
    oh_exchange_state state;
    /* A call is going on. What the caller writes between calls is not sent. */
    bool is_called;
    /* Translated for SSDB, but not sent before the rest of its set is. */
    bool is_waiting;
    oh_peer peer;
    oh_call_terms terms;
    oh_call_times times;
    oh_connection_use use;
    oh_request request;
    oh_replies replies;
    oh_findings found;
    oh_preface preface;
    oh_failure *failure;         /* Where the caller wants to find it. */
    oh_interceptor *interceptor; /* NULL: nobody. */
    /* Between the caller and a node that is SSDB; NULL before its first request. */
    oh_ssdb *ssdb;
    struct oh_exchange_set *set; /* With whom it travels, or NULL if alone. */
} oh_exchange;

/* Exchanges that move together. */
typedef struct oh_exchange_set {
    oh_exchange *members[OH_EXCHANGE_SET_MAX];
    uint32_t members_count;
    void (*start_others)(
        struct oh_exchange_set *);          /* Called once each member has sent what it could. */
    void (*look)(struct oh_exchange_set *); /* Called before each wait, if it is not NULL. */
    void *looker;
    /* Of a member that SSDB must not be sent: then nothing is sent to any. */
    const oh_failure *refusal;
} oh_exchange_set;

/* ---- Life ---- */

/*
 * For an exchange of all zeros, which ends by oh_exchange_end: where its failures are to be found.
 */
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

/* Between two calls: the same node, of another version of its server pool. */
static inline void oh_exchange_set_peer(oh_exchange *exchange, oh_peer peer)
{
    exchange->peer = peer;
}

/* Nothing can be sent any more, and whatever goes on ends. */
void oh_exchange_shut(oh_exchange *exchange);

/* Leaves its set and frees what it holds. */
void oh_exchange_end(oh_exchange *exchange);

/* ---- A call ---- */

/* A call begins: its deadline counts from its first write, unless the terms have another one. */
void oh_exchange_prepare(oh_exchange *exchange, const oh_call_terms *terms, oh_exchange_set *set);

/* Carries a request to the node. False: failed, and the caller is told that nothing was written. */
bool oh_exchange_run(oh_exchange *exchange, const char *request, size_t length);

/*
 * The same without waiting: the exchange moves whenever somebody waits for its set, or for it
 * alone by `await`.
 */
void oh_exchange_start(oh_exchange *exchange, const char *request, size_t length);
void oh_exchange_await(oh_exchange *exchange);

/*
 * Moves some exchanges, waiting for no longer than so much: for what goes on beside everything
 * else.
 */
void oh_exchange_glance(oh_exchange *const *members, uint32_t count, int milliseconds);

/* Its set is over, and it goes on. */
static inline void oh_exchange_go_alone(oh_exchange *exchange)
{
    exchange->set = NULL;
}

/* From here on the deadline is that of a command that does not block. */
void oh_exchange_end_blocking(oh_exchange *exchange);

/*
 * Gives out up to `size` bytes of replies, waiting for them if there are none yet. 0: there are and
 * will be no more.
 */
size_t oh_exchange_read(oh_exchange *exchange, char *bytes, size_t size);

/*
 * The call is over: what the caller did not wait for is not waited for by anyone. Its state and
 * failure stay.
 */
void oh_exchange_finish(oh_exchange *exchange);

/*
 * Ends it with the failure that its owner, or its interceptor, has set; or because there is no
 * memory to go on with.
 */
void oh_exchange_fail(oh_exchange *exchange);
void oh_exchange_fail_without_memory(oh_exchange *exchange);

/*
 * From the next write on the connection is kept. give_back ends that: the connection goes back to
 * the pool, or, unless `is_clean`, is closed, which ends whatever the node was told on it. A call
 * that is going on can send nothing more.
 */
void oh_exchange_keep(oh_exchange *exchange);
void oh_exchange_give_back(oh_exchange *exchange, bool is_clean);

/* ---- What has become of it ---- */

/* Something is still to come or to go. */
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

/* The node has the whole request, and has not begun to answer it. */
static inline bool oh_exchange_is_waiting(const oh_exchange *exchange)
{
    return exchange->state == OH_EXCHANGE_MOVING && oh_request_is_sent(&exchange->request) &&
           !exchange->preface.number && oh_replies_length(&exchange->replies) == 0;
}

/* One of the replies of the call is an error; or has one in it, at least. */
static inline bool oh_exchange_has_error_reply(const oh_exchange *exchange)
{
    return exchange->found.has_error_reply;
}

static inline bool oh_exchange_has_error(const oh_exchange *exchange)
{
    return exchange->found.has_error;
}

/* The caller has made good what it was about. */
static inline void oh_exchange_forget_error_reply(oh_exchange *exchange)
{
    exchange->found.has_error_reply = false;
}

/* The program has ended the wait. */
static inline bool oh_exchange_was_interrupted(const oh_exchange *exchange)
{
    return exchange->found.was_interrupted;
}

/*
 * A connection is kept, and waits for the next write. The last error that was heard on it; length
 * 0: none was.
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
 * Replies that nobody has read yet, framed, as long as nothing is received; and how much memory
 * there is for them.
 */
static inline oh_bytes oh_exchange_replies(const oh_exchange *exchange)
{
    return oh_replies_unread(&exchange->replies);
}

/* The first of them, which is read by that. */
static inline oh_bytes oh_exchange_take_reply(oh_exchange *exchange)
{
    return oh_replies_take(&exchange->replies);
}

static inline size_t oh_exchange_capacity(const oh_exchange *exchange)
{
    return exchange->replies.capacity;
}

/* The reply of the preface as far as it fits, ended by a 0. */
static inline const char *oh_exchange_preface_reply(const oh_exchange *exchange)
{
    return exchange->preface.reply;
}

/* ---- For an interceptor ---- */

/* Whether all replies are kept until the last one is in. */
static inline void oh_exchange_gather(oh_exchange *exchange, bool gathers)
{
    exchange->replies.gathers = gathers;
}

/*
 * It has failed, but its replies will come from elsewhere: from here on they are none, and it is
 * complete.
 */
void oh_exchange_revive(oh_exchange *exchange);

/* Every reply is in, and these take their place: memory of the call, which is taken over. */
void oh_exchange_replace(
    oh_exchange *exchange, uint8_t *replies, size_t length, bool has_error_reply, bool has_error);

/* What was done for it elsewhere has failed like this. */
void oh_exchange_fail_like(oh_exchange *exchange, const oh_exchange *other);

#endif
