/*
 * Read from: chooses the node, a master or a replica, for a command that only reads, as `read_from`
 * says.
 *
 * A replica's answer may be older than a write that its master has already acknowledged. Setting
 * read_from accepts that. Writes, transactions and blocking commands go to the master. If a replica
 * fails, room resend sends the call to its master, where that is allowed.
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

/* True if a read that failed on this node may go to its master. */
bool oh_read_from_may_ask_master(const oh_snapshot *snapshot, uint32_t node);

#endif
