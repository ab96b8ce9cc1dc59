/*
 * SOCK_SEQPACKET keeps a note together with its descriptor and preserves message boundaries, so
 * foreign messages are recognised. Every worker inherits both ends; they close at exec.
 *
 * select() takes no descriptor from FD_SETSIZE (1024) on, and neither does PHP's stream_select().
 * So the ends get higher numbers, as far as the limit of descriptors allows, and the low numbers
 * are left to the program.
 */
#include "engine/shared/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/compiler.h"
#include "core/base/memory.h"

#include "engine/base/environment.h"

static int (*pairs)[2]; /* Written to [0], read from [1]. */
static uint32_t pairs_count;

/* Leaves half of the descriptors for everything else: php-fpm does not start without them. */
static uint32_t pairs_max(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 4 >= UINT32_MAX) {
        return UINT32_MAX;
    }
    return (uint32_t)(limit.rlim_cur / 4);
}

/* Moves a descriptor above those that select() takes. Returns 1 if there is no room, otherwise 0.
 */
static uint32_t raise_above_select(int *descriptor)
{
    int high = fcntl(*descriptor, F_DUPFD_CLOEXEC, FD_SETSIZE);

    if (high < 0) {
        return *descriptor < FD_SETSIZE;
    }
    close(*descriptor);
    *descriptor = high;
    return 0;
}

static void raise_all(void)
{
    uint32_t low = 0;

    for (uint32_t i = 0; i < pairs_count; i++) {
        low += raise_above_select(&pairs[i][0]) + raise_above_select(&pairs[i][1]);
    }
    if (low > FD_SETSIZE / 4) {
        oh_warn("OneHop: of the %d descriptors that select() takes it leaves %u to the program; "
                "raise the limit of descriptors (LimitNOFILE of php-fpm's service), or lower "
                "onehop.max_nodes",
            FD_SETSIZE, FD_SETSIZE - low);
    }
}

void oh_queue_startup(uint32_t wanted)
{
    uint32_t count = OH_MIN(wanted, pairs_max());

    if (count < wanted) {
        oh_warn("OneHop: connections of %u nodes are shared, not of %u: that takes half of the "
                "descriptors that a process may have; raise that limit (LimitNOFILE of php-fpm's "
                "service), "
                "or lower onehop.max_nodes",
            count, wanted);
    }
    pairs = oh_memory_zeroed(count, sizeof *pairs);
    if (!pairs) {
        oh_warn(
            "OneHop: no memory for the queues of connections: each worker has its own connections");
        return;
    }
    while (pairs_count < count && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
                                      0, pairs[pairs_count]) == 0) {
        pairs_count++;
    }
    raise_all();
}

void oh_queue_shutdown(void)
{
    while (pairs_count > 0) {
        pairs_count--;
        close(pairs[pairs_count][0]);
        close(pairs[pairs_count][1]);
    }
    oh_memory_release(pairs);
    pairs = NULL;
}

bool oh_queue_exists(uint32_t number)
{
    return number < pairs_count;
}

union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
};

bool oh_queue_push(uint32_t number, int descriptor, const oh_queue_note *note)
{
    union control control = {{0}};
    struct iovec bytes = {(void *)note, sizeof *note};
    struct msghdr message = {.msg_iov = &bytes,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    return sendmsg(pairs[number][0], &message, MSG_DONTWAIT | MSG_NOSIGNAL) ==
           (ssize_t)sizeof *note;
}

/*
 * Returns the descriptor of a message, or -1 if it has none. The kernel has dropped and closed a
 * second one.
 */
static int descriptor_of(struct msghdr *message)
{
    struct cmsghdr *head = CMSG_FIRSTHDR(message);
    int descriptor = -1;

    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof descriptor)) {
        memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
    }
    return descriptor;
}

/*
 * An empty message looks like the end of a stream. A queue is at its end only if a process has shut
 * it down.
 */
static bool was_shut_down(uint32_t number)
{
    struct pollfd descriptor = {.fd = pairs[number][1], .events = POLLRDHUP};

    return poll(&descriptor, 1, 0) != 0;
}

int oh_queue_pull(uint32_t number, oh_queue_note *note)
{
    for (;;) {
        union control control;
        struct iovec bytes = {note, sizeof *note};
        struct msghdr message = {.msg_iov = &bytes,
            .msg_iovlen = 1,
            .msg_control = control.bytes,
            /* CMSG_SPACE would have room for a second descriptor. */
            .msg_controllen = CMSG_LEN(sizeof(int))};
        ssize_t count = recvmsg(pairs[number][1], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        int descriptor = count < 0 ? -1 : descriptor_of(&message);
        if (count < 0 || (count == 0 && descriptor < 0 && was_shut_down(number))) {
            return -1;
        }
        if (count == (ssize_t)sizeof *note && descriptor >= 0 &&
            !(message.msg_flags & (MSG_CTRUNC | MSG_TRUNC))) {
            return descriptor;
        }
        if (descriptor >= 0) {
            close(descriptor);
        }
    }
}

bool oh_queue_await(uint32_t number, int wait_ms)
{
    struct pollfd descriptor = {.fd = pairs[number][1], .events = POLLIN};

    return poll(&descriptor, 1, wait_ms) > 0;
}
