/*
 * Wait: a poll that may last for days, and lets the program's signal handlers run. oh_progress says
 * how far a step has got, if the step must not wait.
 */
#ifndef OH_ENGINE_WAIT_H
#define OH_ENGINE_WAIT_H

#include <poll.h>
#include <stdbool.h>

typedef enum oh_progress { OH_PROGRESS_WAITS, OH_PROGRESS_READY, OH_PROGRESS_BROKEN } oh_progress;

/*
 * Like poll(), but every signal with a handler ends it, even one that came just before. -1
 * milliseconds waits forever.
 */
int oh_wait_poll(struct pollfd *descriptors, nfds_t count, int milliseconds);

/*
 * Lets the program handle a signal that has come. Afterwards is_ending() says if it aborts the
 * call.
 */
void oh_wait_serve_interrupts(void);

#endif
