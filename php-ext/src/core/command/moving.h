/*
 * Keys that move from an old owner: whether a command asks for them there or brings them, and
 * whether a reply says that a key is not there.
 *
 * Implements spec/topology, moving, sections 2 and 3.
 */
#ifndef OH_MOVING_H
#define OH_MOVING_H

#include "core/command/command.h"

/*
 * True if the command first goes to the owner of a key that moves, and asks the old owner if the
 * owner has nothing. False if it brings the key first. `keys_count` is the number of all its keys;
 * in a split command each of them can be asked for by itself.
 */
bool oh_command_asks(
    const oh_command *command, const oh_bytes *words, size_t count, size_t keys_count);

/* True if a whole reply says more than that a key is not there. */
bool oh_reply_is_something(oh_bytes reply);

#endif
