/*
 * The kernel reuses process ids, so the time when a process began is also checked. It is in /proc,
 * in ticks since the boot, including the time the machine was suspended.
 */
#include "engine/shared/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"

/*
 * A process that began later is another one with the same id. A dead process stays listed until its
 * parent reaps it, which a busy master does late; its sockets are closed by then. (Other threads
 * may outlive the first thread of a process and keep its sockets.)
 */
bool oh_worker_is_alive(uint32_t pid, uint64_t since_ms)
{
    char path[32], text[1024], state;
    long threads_count;
    unsigned long long ticks;

    snprintf(path, sizeof path, "/proc/%u/stat", (unsigned)pid);
    FILE *file = fopen(path, "re");
    if (!file) {
        return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
    }
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *at = strrchr(text, ')'); /* The name of a program may contain anything. */
    if (!at ||
        sscanf(at + 1,
            " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
            &state, &threads_count, &ticks) != 3) {
        return true;
    }
    uint64_t began_ms = ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
    return (state != 'Z' || threads_count > 1) &&
           began_ms <= since_ms + oh_clock_asleep_ns() / 1000000 + 1000;
}
