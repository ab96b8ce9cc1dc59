/*
 * Signals are blocked while it is looked whether one has come, and let through by ppoll alone: none can slip in between
 * and be noticed only when the wait is over.
 */
#include "php_onehop.h"

#include <signal.h>
#include <time.h>

#include "engine/wait/exchange_patience.h"

void oh_exchange_run_interrupts(void)
{
    if (!zend_atomic_bool_load_ex(&EG(vm_interrupt))) {
        return;
    }
    zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
    if (zend_atomic_bool_load_ex(&EG(timed_out))) {
        zend_timeout();
    } else if (zend_interrupt_function) {
        zend_interrupt_function(EG(current_execute_data));
    }
}

int oh_exchange_poll_patiently(struct pollfd *descriptors, nfds_t count, int milliseconds)
{
    struct timespec limit = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool is_interrupted = zend_atomic_bool_load_ex(&EG(vm_interrupt));
    int ready = is_interrupted ? 0 : ppoll(descriptors, count, milliseconds < 0 ? NULL : &limit, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ready;
}
