/*
 * Patience: a poll that may last for days, during which the handlers of the script's signals run.
 */
#ifndef OH_ENGINE_EXCHANGE_PATIENCE_H
#define OH_ENGINE_EXCHANGE_PATIENCE_H

#include <poll.h>
#include <stdbool.h>

/* poll(), ended by every signal that has a handler, even by one that came just before. -1 milliseconds: without end. */
int oh_exchange_poll_patiently(struct pollfd *descriptors, nfds_t count, int milliseconds);

/* What Zend does between two opcodes. A handler may throw, or call exit: EG(exception) tells. */
void oh_exchange_run_interrupts(void);

#endif
