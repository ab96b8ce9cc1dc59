/*
 * Read from: which node of a Redis Cluster answers a command that only reads, if the server pool
 * says read_from.
 *
 * What a replica answers may be older than what its master has just acknowledged: whoever sets
 * read_from has said that this is fine. Writes, transactions and all that waits are their master's.
 * A replica that fails is not the end of a call where its master may be asked instead (room
 * redirects sends it there).
 *
 * Implements spec/config, `read_from`, and spec/topology/cluster.md, section 7.
 */
#ifndef OH_ENGINE_READ_FROM_H
#define OH_ENGINE_READ_FROM_H

#include "core/base/compiler.h"
#include "core/command/command.h"

#include "engine/snapshot/snapshot.h"

/* Whether reads of this command may go elsewhere. */
static inline bool oh_read_from_applies(const oh_snapshot *snapshot, const oh_command *command)
{
    return OH_UNLIKELY(snapshot->pool->read_from != OH_READ_MASTER) && command &&
           command->access == OH_ACCESS_READ && !command->blocking.is_blocking;
}

/*
 * In the place of a master the node that is to answer for it; another one each time, where there
 * are several. `last` is the caller's memory of the node that answered the time before. The master,
 * if there is none; but under `replica` that is a failure, and false.
 */
bool oh_read_from_choose(
    oh_snapshot *snapshot, uint32_t *last, uint32_t *node, oh_failure *failure);

/* Whether a read that failed on this node may be asked of its master. */
bool oh_read_from_has_master(const oh_snapshot *snapshot, uint32_t node);

#endif
