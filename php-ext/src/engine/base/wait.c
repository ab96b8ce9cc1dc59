/*
 * Signals are blocked while the engine checks for one; only ppoll lets them through. So a signal
 * between the check and the wait ends the wait.
 */
#include "engine/base/wait.h"

#include <signal.h>
#include <time.h>

#include "engine/base/environment.h"

void oh_wait_serve_interrupts(void)
{
    if (oh_surroundings.is_interrupted()) {
        oh_surroundings.serve_interrupt();
    }
}

int oh_wait_poll(struct pollfd *descriptors, nfds_t count, int milliseconds)
{
    struct timespec limit = {
        .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool is_interrupted = oh_surroundings.is_interrupted();
    int ready = is_interrupted
                    ? poll(descriptors, count, 0)
                    : ppoll(descriptors, count, milliseconds < 0 ? NULL : &limit, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ready;
}
