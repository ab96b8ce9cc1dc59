/*
 * Lookout: while a call waits for its node, looks whether another node has taken over.
 *
 *     waits 100 ms ─► lookout: learns ─► a successor? ─yes─► the exchange fails, and is sent there
 *                        ▲                    │ no
 *                        └───── 100 ms ───────┘
 *
 * A process of PHP has no thread that learns while a call waits. So the call itself does what it
 * does at its begin: it advances a refresh, or begins one that is due.
 *
 * Implements spec/wire, section 5, "While a call waits".
 */
#ifndef OH_ENGINE_LOOKOUT_H
#define OH_ENGINE_LOOKOUT_H

#include "engine/exchange/exchange.h"
#include "engine/snapshot/snapshot.h"

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

/* Sets it up for calls of this node. It needs no memory and no end. */
void oh_node_lookout_set(oh_node_lookout *lookout, oh_snapshot *snapshot, uint32_t node);

/* The newest version that the client knows, counted. It asks nobody. */
oh_snapshot *oh_lookout_known(oh_snapshot *snapshot);

/*
 * Finds the node of a plain server pool that has the name of another one. False if there is none
 * that commands can be sent to.
 */
bool oh_lookout_find(oh_snapshot *newest, oh_text name, uint32_t *node);

/* True if the newest map gives the slot of the first key of these commands to another node. */
bool oh_lookout_has_moved(const oh_snapshot *map, uint32_t node, oh_bytes commands);

#endif
