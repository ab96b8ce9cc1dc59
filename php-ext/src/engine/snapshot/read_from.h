/*
 * Read from: chooses the node, a master or a replica, for a command that only reads, as `read_from`
 * says.
 *
 * A replica's answer may be older than a write that its master has already acknowledged. A server
 * pool that sets read_from accepts that. Writes, transactions and blocking commands go to the
 * master. If a node does not answer a read, room resend sends the read to the node's fallback: to a
 * replica's master, or with prefer_master to a replica.
 *
 * Implements spec/config, `read_from`, and spec/topology/cluster.md, section 7.
 */
#ifndef OH_ENGINE_READ_FROM_H
#define OH_ENGINE_READ_FROM_H

#include "core/base/compiler.h"
#include "core/command/command.h"

#include "engine/snapshot/snapshot.h"

/* True if reads of this command may go to another node than the master. */
static inline bool oh_read_from_applies(const oh_snapshot *snapshot, const oh_command *command)
{
    return OH_UNLIKELY(oh_server_pool_asks_replicas(snapshot->pool)) && command &&
           command->access == OH_ACCESS_READ && !command->blocking.is_blocking;
}

/*
 * Replaces a master by a node that answers for it; several such nodes take turns. The caller keeps
 * `last`, the node of the last read. If there is no such node, the master stays; with `read_from:
 * replica` that is a failure, and it returns false.
 */
bool oh_read_from_choose(
    oh_snapshot *snapshot, uint32_t *last, uint32_t *node, oh_failure *failure);

/* True if masters answer as long as they are well. */
static inline bool oh_read_from_prefers_master(const oh_snapshot *snapshot)
{
    return snapshot->pool->read_from == OH_READ_PREFER_MASTER;
}

#define OH_NO_FALLBACK UINT32_MAX

/* True if this node may have a fallback. The other function is true if it has one now. */
bool oh_read_from_may_fall_back(const oh_snapshot *snapshot, uint32_t node);
bool oh_read_from_has_fallback(oh_snapshot *snapshot, uint32_t node);

/*
 * The node that answers a read of this master if the node `asked` does not. OH_NO_FALLBACK if there
 * is none.
 */
uint32_t oh_read_from_fallback(oh_snapshot *snapshot, uint32_t master, uint32_t asked);

#endif
