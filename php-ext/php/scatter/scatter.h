/*
 * Scatter: calls of phpredis on several nodes, in parallel.
 *
 * phpredis writes and reads in one call, so calls made one after another would cost the sum of
 * their round trips. Here the calls are nested instead. When the first one has sent its bytes and
 * would wait, it calls the second, and so on. The innermost waits for all of them. Then each call
 * finds its replies in memory and returns, the innermost first.
 *
 *     exec() on a ─► write: send to a
 *                      └─ exec() on b ─► write: send to b
 *                                          └─ exec() on c ─► write: send to c, receive from all
 *                                             reads c's replies, returns
 *                         reads b's replies, returns
 *        reads a's replies, returns
 *
 * A scatter takes as long as its slowest node. It needs no threads and no fibers. Of phpredis it
 * needs only that commands are written before their replies are read. Each level costs about a
 * kilobyte of stack, so there is a bound; more nodes than that are served in rounds.
 */
#ifndef OH_PHP_SCATTER_H
#define OH_PHP_SCATTER_H

#include "php/client/client.h"
#include "php/phpredis/node_client.h"

/* What one node is to do, and what came of it. */
typedef struct oh_node_call {
    oh_node_client *node_client;
    zend_function *function; /* Of phpredis. */
    uint32_t count;
    zval *arguments;
    oh_call_terms terms;
    uint32_t expected; /* For the caller: how many replies exec() should give. */
    zval reply;        /* UNDEF if it failed. */
    /* What was thrown, ours or phpredis' or the script's; NULL if it succeeded. */
    zend_object *failure;
} oh_node_call;

/*
 * Makes all calls. True: each call has a reply or a failure, to be freed by oh_scatter_free. False:
 * the script is ending (exit), which must not be delayed; the calls are empty then.
 */
bool oh_scatter_run(oh_node_call *node_calls, uint32_t count);

/*
 * The same, but before each wait `look` is called with the set, whose `looker` is set to this one.
 */
bool oh_scatter_run_watched(
    oh_node_call *node_calls, uint32_t count, void (*look)(oh_exchange_set *), void *looker);

void oh_scatter_free(oh_node_call *node_calls, uint32_t count);

/* How many of the calls failed. */
uint32_t oh_scatter_failed(const oh_node_call *node_calls, uint32_t count);

/* Throws the first failure itself: nothing came back at all. */
void oh_scatter_throw_first(oh_node_call *node_calls, uint32_t count);

/* Throws PartialBatch; `replies` is taken over. */
void oh_scatter_throw_partial(
    oh_client *client, oh_node_call *node_calls, uint32_t count, zval *replies);

/* The failure of a call as an exception of OneHop: wrapped if it is not one. Borrowed. */
zend_object *oh_scatter_failure(oh_client *client, oh_node_call *node_call);

#endif
