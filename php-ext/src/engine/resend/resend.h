/*
 * Resend: commands that a node has not executed are sent to another node. The caller does not
 * notice.
 *
 *     request ─► node ─► replies; some say that it has not executed their commands
 *                               │ all are in
 *                               ▼
 *     sends those commands, in rounds, to other nodes
 *                               │ all have a reply
 *                               ▼
 *     replaces the errors by these replies ─► the caller reads
 *
 * There is one mechanism, and a policy that says which replies are meant and where to send:
 *
 * Redirects is the policy of a Redis Cluster: a node that does not have the slot, or cannot serve
 * it now, names another one. Commands of one slot keep their order. Large replies (beyond
 * OH_REPLIES_AHEAD_BYTES) reach the caller up to the first redirect; the rest is gathered until the
 * redirects are replaced. If a node fails, all commands of the request go to the nodes that have
 * their slots in the newest map, if that is safe.
 *
 * Succession is the policy of all other server pools: a node that answers READONLY has become a
 * replica, and its successor is the node that has its name in the newest version of the server
 * pool. A transaction, or a batch with a MULTI, is not sent again.
 *   With Sentinels NOREPLICAS is also such a refusal, and their current answer is the newest
 * version. Until the deadline the Sentinels are asked again and again, at most every 100 ms, and
 * the node that they name is tried. So a call that begins while a master dies waits for the next
 * one.
 *
 * In both policies, a read that was not answered goes to the fallback of its node immediately, if
 * the node has one.
 *
 * Both policies are interceptors of an exchange and work in its memory. Succession becomes one only
 * from the first error on, so calls without errors pay nothing for it.
 *
 * While a call waits for its node, a lookout notices if another node has taken over:
 *
 *     waits 100 ms ─► lookout: learns ─► a successor? ─yes─► the exchange fails, and is sent there
 *                        ▲                    │ no
 *                        └───── 100 ms ───────┘
 *
 * A process of PHP has no thread that could refresh while a call waits. So the call itself does
 * then what it does when it begins: it advances a refresh, or begins one that is due.
 *
 * Implements spec/route, "Redirects", spec/wire, section 5, "After READONLY" and "While a call
 * waits", spec/topology/sentinel.md, section 5, and spec/topology/cluster.md, section 7.
 */
#ifndef OH_ENGINE_RESEND_H
#define OH_ENGINE_RESEND_H

#include "engine/exchange/exchange.h"
#include "engine/snapshot/snapshot.h"

/* ---- Redirects ---- */

typedef struct oh_redirects oh_redirects;

/*
 * A function that returns the script with this digest; bytes NULL if the program does not know it.
 * The function is NULL if the program keeps no scripts.
 */
extern oh_bytes (*oh_redirects_script)(const char *digest, size_t length);

/*
 * Attaches itself to an exchange with a node of a cluster, and ends with that exchange. The map
 * still belongs to the caller. NULL if there is no memory.
 */
oh_redirects *oh_redirects_attach(oh_exchange *exchange, oh_snapshot *map, uint32_t node);

/* Switches to a newer map in which the node has the same index. Only between two calls. */
void oh_redirects_set_map(oh_redirects *redirects, oh_snapshot *map);

/* ---- Succession ---- */

typedef struct oh_succession {
    /* The first field, so that a pointer to it is a pointer to this struct. */
    oh_interceptor interceptor;
    oh_snapshot *snapshot; /* The caller's. */
    uint32_t node;         /* Its index there. */
} oh_succession;

/*
 * Returns the newest version of the server pool, counted. Room source provides it. NULL if the
 * program has no such room; then nothing is sent again.
 */
extern oh_snapshot *(*oh_succession_newest)(oh_snapshot *snapshot, uint64_t deadline_ns);

/*
 * Sets up a succession, or switches to another snapshot between two calls. It needs no memory, and
 * need not be ended.
 */
void oh_succession_set(oh_succession *succession, oh_snapshot *snapshot, uint32_t node);

/* ---- Lookout ---- */

typedef struct oh_node_lookout {
    oh_lookout lookout;    /* First, so that both have one address. */
    oh_snapshot *snapshot; /* The caller's. */
    uint32_t node;         /* Its index there. */
} oh_node_lookout;

/*
 * Returns the newest version of a server pool whose configuration is a file, counted, without
 * asking a node. Room source provides it. NULL if the program has no such room.
 */
extern oh_snapshot *(*oh_lookout_newest)(oh_snapshot *snapshot);

/* Sets up a lookout for calls of this node. It needs no memory, and need not be ended. */
void oh_node_lookout_set(oh_node_lookout *lookout, oh_snapshot *snapshot, uint32_t node);

#endif
