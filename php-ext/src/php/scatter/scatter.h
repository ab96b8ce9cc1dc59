/*
 * Scatter: calls on several nodes, in parallel.
 *
 * A call on the express lane is sent without waiting. When all have been sent, the replies are
 * read, one node after the other, and each wait receives what any node has answered:
 *
 *     send to a ─► send to b ─► send to c ─► read a's replies ─► read b's ─► read c's
 *
 * phpredis writes and reads in one call, so calls of phpredis that are made one after another would
 * cost the sum of their round trips. They are nested instead. When the first one has sent its bytes
 * and would wait, it calls the second, and so on. The innermost waits for all of them. Then each
 * call finds its replies in memory and returns, the innermost first.
 *
 *     exec() on a ─► write: send to a
 *                      └─ exec() on b ─► write: send to b
 *                                          └─ exec() on c ─► write: send to c, receive from all
 *                                             reads c's replies, returns
 *                         reads b's replies, returns
 *        reads a's replies, returns
 *
 * A scatter takes as long as its slowest node, and needs neither threads nor fibers. It only
 * requires that phpredis writes commands before it reads their replies. Each level of nested calls
 * takes about a kilobyte of stack, so the depth is limited. More nodes than that are served in
 * several rounds.
 */
#ifndef OH_PHP_SCATTER_H
#define OH_PHP_SCATTER_H

#include "php/client/client.h"
#include "php/phpredis/node_client.h"

/* A call on one node, and its result. */
typedef struct oh_node_call {
    oh_node_client *node_client;
    /* oh_express_call_exec, _one or _groups; NULL if `function` is called. */
    void (*express)(oh_node_client *node_client, bool is_started, zval *return_value);
    zend_function *function; /* The method of phpredis to call. */
    uint32_t count;
    zval *arguments;
    const oh_call_terms *terms; /* NULL if it sends the queue of the node client. */
    bool is_started;            /* Sent on the express lane; its replies are not read yet. */
    uint32_t expected; /* Not used by scatter: how many replies the caller expects from exec(). */
    zval reply;        /* UNDEF if the call failed. */
    /* The exception, thrown by OneHop, phpredis or the script; NULL if the call succeeded. */
    zend_object *failure;
    /* Some of its commands have failed, each with one of these exceptions as its reply. */
    zend_object **refusals;
    uint32_t refusals_count;
} oh_node_call;

/*
 * Makes all calls. Returns true if each has a reply or a failure; the caller frees them with
 * oh_scatter_free. Returns false if the script is ending (exit), which must not be delayed; the
 * calls have no results then.
 */
bool oh_scatter_run(oh_node_call *node_calls, uint32_t count);

void oh_scatter_free(oh_node_call *node_calls, uint32_t count);

/* How many calls failed; and whether a call, or some commands of a call, failed. */
uint32_t oh_scatter_failed(const oh_node_call *node_calls, uint32_t count);
bool oh_scatter_has_failures(const oh_node_call *node_calls, uint32_t count);

/*
 * The failure of a scatter that failed on all nodes: the failure of the first node whose commands
 * may have executed; if there is no such node, the failure of the first node. Borrowed. Implements
 * spec/route, "Outcomes".
 */
zend_object *oh_scatter_worst(const oh_node_call *node_calls, uint32_t count);

/* Makes PartialBatch. Takes over `replies`. */
zend_object *oh_scatter_partial(
    oh_client *client, oh_node_call *node_calls, uint32_t count, zval *replies);

/* Returns the failure of a call, borrowed. Wraps it first if it is not an exception of OneHop. */
zend_object *oh_scatter_failure(oh_client *client, oh_node_call *node_call);

#endif
