/*
 * Kept commands: what nodes have said of commands that the table does not hold, in memory that
 * processes may share.
 *
 * No lock: a place is written word by word, its checksum last. If two writers have met at a place,
 * or one has died, a reader finds that the checksum is wrong, and a node is asked again. Nothing
 * that is read is trusted.
 *
 * No I/O. Implements spec/route, "Commands that only the nodes know".
 */
#ifndef OH_KEPT_COMMANDS_H
#define OH_KEPT_COMMANDS_H

#include <stdatomic.h>

#include "core/command/learnt.h"

#define OH_KEPT_IDENTITY_BYTES 16 /* Of a server pool. */
#define OH_KEPT_COMMAND_WORDS ((OH_KEPT_IDENTITY_BYTES + sizeof(oh_learnt) + 7) / 8)

typedef struct oh_kept_command {
    _Atomic uint64_t checksum, kept_ms;
    _Atomic uint64_t words[OH_KEPT_COMMAND_WORDS]; /* The identity, then the learnt command. */
} oh_kept_command;

/* All zeros: none. */
typedef struct oh_kept_commands {
    oh_kept_command places[OH_LEARNT_COMMANDS_MAX];
} oh_kept_commands;

/* Keeps what a node of this server pool has said. Another kept command may be lost for it. */
void oh_kept_commands_add(oh_kept_commands *kept, const uint8_t identity[OH_KEPT_IDENTITY_BYTES],
    const oh_learnt *learnt, uint64_t now_ms);

/* Finds a kept command. False if it is not kept, or was kept for too long. */
bool oh_kept_commands_find(oh_kept_commands *kept, const uint8_t identity[OH_KEPT_IDENTITY_BYTES],
    const char *name, uint64_t now_ms, oh_learnt *learnt);

/* Forgets a command in all server pools, because a node has denied it. */
void oh_kept_commands_forget(oh_kept_commands *kept, const char *name);

#endif
