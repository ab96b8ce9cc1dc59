/*
 * Each attempt is a socket in the epoll set. The timer is there as long as addresses are left. An
 * attempt that fails begins the next one immediately.
 */
#include "engine/pool/race.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/generated/timings.h"

struct oh_race {
    const oh_address *addresses;
    uint8_t count, next;
    int sockets[OH_ADDRESSES_MAX]; /* By address; -1 if it is not being tried. */
    int events, timer;
    uint64_t step_ns, next_ns; /* When the next one is tried. */
    int error;                 /* The error of the last attempt that failed. */
};

int oh_race_connect(const oh_address *address)
{
    int one = 1;
    int sock = socket(address->bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (sock < 0) {
        return -1;
    }
    if (address->bytes.ss_family != AF_UNIX) {
        setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    /* A unix socket with a full backlog gives EAGAIN and cannot be polled: it counts as refused. */
    if (connect(sock, (const struct sockaddr *)&address->bytes, address->length) == 0 ||
        errno == EINPROGRESS || errno == EINTR) {
        return sock;
    }
    int error = errno;
    close(sock);
    errno = error;
    return -1;
}

/* ---- Attempts ---- */

static void set_timer(const oh_race *race)
{
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(race->step_ns / 1000000000),
                                  .tv_nsec = (long)(race->step_ns % 1000000000)}};

    timerfd_settime(race->timer, 0, &when, NULL);
}

/* Tries the next address that does not fail immediately. False if there is none. */
static bool try_next(oh_race *race)
{
    while (race->next < race->count) {
        uint8_t number = race->next++;
        struct epoll_event event = {.events = EPOLLOUT};
        int sock = oh_race_connect(&race->addresses[number]);

        if (sock >= 0 && epoll_ctl(race->events, EPOLL_CTL_ADD, sock, &event) == 0) {
            race->sockets[number] = sock;
            race->next_ns = oh_clock_now_ns() + race->step_ns;
            if (race->next < race->count) {
                set_timer(race);
            }
            return true;
        }
        race->error = errno;
        if (sock >= 0) {
            close(sock);
        }
    }
    return false;
}

/* True if this attempt has ended. Then `error` is 0 if the socket is connected. */
static bool has_ended(int sock, int *error)
{
    struct pollfd descriptor = {.fd = sock, .events = POLLOUT};
    socklen_t length = sizeof *error;

    if (poll(&descriptor, 1, 0) <= 0) {
        return false;
    }
    if (getsockopt(sock, SOL_SOCKET, SO_ERROR, error, &length) < 0) {
        *error = errno;
    }
    return true;
}

/*
 * Ends an attempt. The socket is removed from the epoll set, because the set would keep it if a
 * forked child also had it.
 */
static void leave(oh_race *race, uint8_t number)
{
    epoll_ctl(race->events, EPOLL_CTL_DEL, race->sockets[number], NULL);
    close(race->sockets[number]);
    race->sockets[number] = -1;
}

/* ---- The race ---- */

oh_race *oh_race_begin(const oh_address *addresses, uint8_t count, uint32_t timeout_ms)
{
    oh_race *race = oh_memory_zeroed(1, sizeof *race);
    struct epoll_event event = {.events = EPOLLIN};

    if (!race) {
        errno = ENOMEM;
        return NULL;
    }
    race->addresses = addresses;
    race->count = count;
    uint32_t step_ms = timeout_ms ? OH_MIN(timeout_ms / count, OH_STEP_MS_MAX) : OH_STEP_MS_MAX;
    race->step_ns = OH_MAX(step_ms, 1) * UINT64_C(1000000);
    for (uint8_t i = 0; i < OH_ADDRESSES_MAX; i++) {
        race->sockets[i] = -1;
    }
    race->events = epoll_create1(EPOLL_CLOEXEC);
    race->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (race->events >= 0 && race->timer >= 0 &&
        epoll_ctl(race->events, EPOLL_CTL_ADD, race->timer, &event) == 0) {
        if (try_next(race)) {
            return race;
        }
        errno = race->error;
    }
    int error = errno;
    oh_race_end(race);
    errno = error;
    return NULL;
}

int oh_race_descriptor(const oh_race *race)
{
    return race->events;
}

oh_progress oh_race_advance(oh_race *race, int *sock, uint8_t *winner, int *error)
{
    bool has_attempt = false, has_failed = false;

    for (uint8_t i = 0; i < race->next; i++) {
        if (race->sockets[i] < 0) {
            continue;
        }
        if (!has_ended(race->sockets[i], &race->error)) {
            has_attempt = true;
        } else if (race->error == 0) {
            *sock = race->sockets[i];
            *winner = i;
            race->sockets[i] = -1;
            return OH_PROGRESS_READY;
        } else {
            leave(race, i);
            has_failed = true;
        }
    }
    if ((has_failed || oh_clock_now_ns() >= race->next_ns) && try_next(race)) {
        return OH_PROGRESS_WAITS;
    }
    if (race->next == race->count) { /* The timer of the steps is no longer needed. */
        epoll_ctl(race->events, EPOLL_CTL_DEL, race->timer, NULL);
    }
    *error = race->error;
    return has_attempt ? OH_PROGRESS_WAITS : OH_PROGRESS_BROKEN;
}

void oh_race_end(oh_race *race)
{
    for (uint8_t i = 0; i < OH_ADDRESSES_MAX; i++) {
        if (race->sockets[i] >= 0) {
            close(race->sockets[i]);
        }
    }
    if (race->events >= 0) {
        close(race->events);
    }
    if (race->timer >= 0) {
        close(race->timer);
    }
    oh_memory_release(race);
}
