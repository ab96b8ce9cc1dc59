/*
 * What becomes of keys that move from an old owner: whether a command asks for them there or brings
 * them, and whether a reply says that a key is not there.
 *
 * Implements spec/topology, moving, sections 2 and 3.
 */
#ifndef OH_MOVING_H
#define OH_MOVING_H

#include "core/command/command.h"

/*
 * True if the command asks the old owner of a key that moves, if it has not got it; false if it
 * brings the key first. `keys_count`: of all its keys; a key of a split command is one of its own.
 */
bool oh_command_asks(
    const oh_command *command, const oh_bytes *words, size_t count, size_t keys_count);

/* True if a whole reply says more than that a key is not there. */
bool oh_reply_is_something(oh_bytes reply);

#endif
