/*
 * Wait: a poll that may last for days, during which the signal handlers of the program run.
 */
#ifndef OH_ENGINE_WAIT_H
#define OH_ENGINE_WAIT_H

#include <poll.h>
#include <stdbool.h>

/*
 * poll(), ended by every signal that has a handler, even by one that came just before.
 * -1 milliseconds: without end.
 */
int oh_wait_poll(struct pollfd *descriptors, nfds_t count, int milliseconds);

/*
 * Lets the program serve a signal that has come. It may decide to end what goes on: is_ending()
 * tells.
 */
void oh_wait_serve_interrupts(void);

#endif
