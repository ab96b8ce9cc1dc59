/*
 * Readers: which node of a Redis Cluster answers a command that only reads, if the server pool says read_from.
 *
 * What a replica answers may be older than what its master has just acknowledged: whoever sets read_from has said that
 * this is fine. Writes, transactions and all that waits are their master's. A replica that fails is not the end of a
 * call where its master may be asked instead (room redirects sends it there).
 *
 * Implements spec/config, `read_from`, and spec/topology/cluster.md, section 7.
 */
#ifndef OH_ENGINE_READERS_H
#define OH_ENGINE_READERS_H

#include "php/client/client.h"

/* Whether reads of this command, called now, may go elsewhere. */
static inline bool oh_readers_may_answer(const oh_client *client, const oh_command *command)
{
    return OH_UNLIKELY(client->snapshot->pool->read_from != OH_READ_MASTER) && command &&
           command->access == OH_ACCESS_READ && !command->blocking.is_blocking && !oh_transaction_is_open(client);
}

/*
 * In the place of a master the node that is to answer for it; another one each time, where there are several. The master,
 * if there is none; but under `replica` that is an exception, and false.
 */
bool oh_readers_choose(oh_client *client, uint32_t *node);

/* Whether a read that failed on this node may be asked of its master. */
bool oh_readers_has_master(const oh_client *client, uint32_t node);

#endif
