/* Wait: a poll that may last for days, during which the program's signal handlers run. */
#ifndef OH_ENGINE_WAIT_H
#define OH_ENGINE_WAIT_H

#include <poll.h>
#include <stdbool.h>

/*
 * poll() that every signal with a handler ends, even one that came just before. -1 milliseconds
 * waits without end.
 */
int oh_wait_poll(struct pollfd *descriptors, nfds_t count, int milliseconds);

/*
 * Lets the program handle a signal that has come. Afterwards is_ending() says if it aborts the
 * call.
 */
void oh_wait_serve_interrupts(void);

#endif
