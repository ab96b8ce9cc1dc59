/*
 * One c-ares channel carries all look-ups of a thread. It is created for the first look-up and ends
 * with the last one. So if resolv.conf has changed, the next look-up reads it again. An epoll
 * descriptor holds the channel's sockets and a timer for its repeats. A caller that waits for a
 * name polls this descriptor beside all others.
 *
 * A child of a fork notices that the channel is its parent's. It closes its copies. It neither
 * reads from the sockets nor changes the epoll set, because parent and child share both.
 */
#include "engine/shared/resolver.h"

#include <ares.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/hash/md5.h"

#include "engine/shared/segment.h"

/* A lost query is repeated after this time, then after twice as long ... */
#define OH_REPEAT_MS 500
#define OH_TRIES 5        /* ... 15.5 seconds in total; a slower server counts as dead. */
#define OH_STALE_MS 15000 /* A channel that was not served for this time is replaced. */
#define OH_EVENTS_MAX 16

struct oh_lookup {
    oh_lookup *next;
    char *host;
    uint32_t waiting; /* Number of connections that want the result. */
    bool is_done;
    bool is_orphan; /* Its channel is gone. It is done and not in a list. */
    int status;     /* c-ares status code. */
    oh_name found;
};

typedef struct oh_resolver {
    ares_channel channel;
    int events; /* The epoll descriptor. */
    int timer;
    pid_t owner;
    bool is_foreign;
    uint64_t begun_ms;
    oh_lookup *lookups;
} oh_resolver;

static OH_PER_THREAD oh_resolver *own;          /* NULL while there is no look-up. */
static OH_PER_THREAD oh_store_names *own_names; /* Used without a segment. */

bool oh_resolver_startup(void)
{
    return ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS;
}

void oh_resolver_shutdown(void)
{
    ares_library_cleanup();
}

const char *oh_resolver_version(void)
{
    return ares_version(NULL);
}

/* ---- Known names ---- */

/*
 * Returns the host's names, or without a segment the thread's own. NULL if there is no memory for
 * them.
 */
static oh_store_names *names(void)
{
    oh_store *store = oh_segment_store();

    if (store) {
        return oh_store_names_of(store);
    }
    if (!own_names) {
        own_names = oh_memory_zeroed(1, sizeof *own_names);
    }
    return own_names;
}

/*
 * Makes the identity of a record. It includes the user, because processes must not trust records of
 * other users.
 */
static void identify(const char *host, uint8_t identity[OH_NAME_IDENTITY_BYTES])
{
    oh_store *store = oh_segment_store();
    uint32_t user = (uint32_t)geteuid();
    oh_md5 md5;

    oh_md5_begin(&md5);
    if (store) {
        oh_md5_add(&md5, oh_store_salt(store), OH_STORE_IDENTITY_BYTES);
    }
    oh_md5_add(&md5, &user, sizeof user);
    oh_md5_add(&md5, host, strlen(host));
    oh_md5_end(&md5, identity);
}

/* An address that was chosen stays the first. */
static void remember(oh_lookup *lookup)
{
    uint8_t identity[OH_NAME_IDENTITY_BYTES];
    oh_store_names *known = names();
    oh_name before;

    if (known) {
        identify(lookup->host, identity);
        if (oh_store_recall_last(known, identity, &before) && before.is_chosen) {
            oh_name_choose(&lookup->found, &before.addresses[0], true);
        }
        oh_store_remember(known, identity, &lookup->found, oh_clock_now_ms());
    }
}

static uint8_t fill(const oh_name *name, uint16_t port, oh_address addresses[OH_ADDRESSES_MAX])
{
    memset(addresses, 0, OH_ADDRESSES_MAX * sizeof *addresses);
    for (uint32_t i = 0; i < name->count; i++) {
        if (name->addresses[i].is_v6) {
            struct sockaddr_in6 *six = (struct sockaddr_in6 *)&addresses[i].bytes;

            six->sin6_family = AF_INET6;
            six->sin6_port = htons(port);
            memcpy(&six->sin6_addr, name->addresses[i].bytes, sizeof six->sin6_addr);
            addresses[i].length = sizeof *six;
        } else {
            struct sockaddr_in *four = (struct sockaddr_in *)&addresses[i].bytes;

            four->sin_family = AF_INET;
            four->sin_port = htons(port);
            memcpy(&four->sin_addr, name->addresses[i].bytes, sizeof four->sin_addr);
            addresses[i].length = sizeof *four;
        }
    }
    return (uint8_t)name->count;
}

/* ---- Answers ---- */

static void add_address(oh_name *found, const struct ares_addrinfo_node *node)
{
    oh_ip *address = &found->addresses[found->count];

    memset(address, 0, sizeof *address);
    if (node->ai_family == AF_INET6) {
        address->is_v6 = true;
        memcpy(address->bytes, &((const struct sockaddr_in6 *)node->ai_addr)->sin6_addr, 16);
    } else {
        memcpy(address->bytes, &((const struct sockaddr_in *)node->ai_addr)->sin_addr, 4);
    }
    found->count++;
}

/* c-ares calls this once for each lookup, also when the channel is destroyed. */
static void take_answer(void *context, int status, int timeouts, struct ares_addrinfo *answer)
{
    oh_lookup *lookup = context;
    int64_t ttl_s = OH_NAME_KEPT_MS_MAX / 1000;

    (void)timeouts;
    lookup->is_done = true;
    lookup->status = status;
    for (const struct ares_addrinfo_node *node = answer ? answer->nodes : NULL; node;
        node = node->ai_next) {
        if ((node->ai_family == AF_INET || node->ai_family == AF_INET6) &&
            lookup->found.count < OH_ADDRESSES_MAX) {
            add_address(&lookup->found, node);
            ttl_s = OH_MIN(ttl_s, node->ai_ttl);
        }
    }
    for (const struct ares_addrinfo_cname *alias = answer ? answer->cnames : NULL; alias;
        alias = alias->next) {
        ttl_s = OH_MIN(ttl_s, alias->ttl);
    }
    if (answer) {
        ares_freeaddrinfo(answer);
    }
    if (lookup->found.count) {
        lookup->found.until_ms =
            oh_clock_now_ms() + (uint64_t)OH_MAX(ttl_s * 1000, OH_NAME_KEPT_MS_MIN);
        remember(lookup);
    } else if (status == ARES_SUCCESS) {
        lookup->status = ARES_ENODATA;
    }
}

static void free_lookup(oh_lookup *lookup)
{
    if (lookup) {
        oh_memory_release(lookup->host);
        oh_memory_release(lookup);
    }
}

/* Drops look-ups that are done and that no connection wants. */
static void sweep(oh_resolver *resolver)
{
    oh_lookup **place = &resolver->lookups, *lookup;

    while ((lookup = *place)) {
        if (lookup->is_done && !lookup->waiting) {
            *place = lookup->next;
            free_lookup(lookup);
        } else {
            place = &lookup->next;
        }
    }
}

/* ---- The channel ---- */

/* c-ares reports the sockets that it wants to read from or write to, and those that it closes. */
static void watch(void *context, ares_socket_t descriptor, int is_readable, int is_writable)
{
    oh_resolver *resolver = context;
    struct epoll_event event = {
        .events = (is_readable ? EPOLLIN : 0) | (is_writable ? EPOLLOUT : 0)};

    if (resolver->is_foreign) {
        return;
    }
    event.data.fd = descriptor;
    if (!event.events) {
        epoll_ctl(resolver->events, EPOLL_CTL_DEL, descriptor, &event);
    } else if (epoll_ctl(resolver->events, EPOLL_CTL_MOD, descriptor, &event) < 0 &&
               errno == ENOENT) {
        epoll_ctl(resolver->events, EPOLL_CTL_ADD, descriptor, &event);
    }
}

/* Sets the timer for the next call of c-ares: immediately if a result was not fetched yet. */
static void set_timer(oh_resolver *resolver)
{
    struct itimerspec when = {0};
    struct timeval left, *next = ares_timeout(resolver->channel, NULL, &left);

    if (next) {
        when.it_value =
            (struct timespec){.tv_sec = next->tv_sec, .tv_nsec = next->tv_usec * 1000 + 1};
    }
    for (const oh_lookup *lookup = resolver->lookups; lookup; lookup = lookup->next) {
        if (lookup->is_done) {
            when.it_value = (struct timespec){.tv_nsec = 1};
        }
    }
    timerfd_settime(resolver->timer, 0, &when, NULL);
}

static void go_on(oh_resolver *resolver)
{
    struct epoll_event events[OH_EVENTS_MAX];
    int count = epoll_wait(resolver->events, events, OH_EVENTS_MAX, 0);

    for (int i = 0; i < count; i++) {
        int descriptor = events[i].data.fd;

        if (descriptor != resolver->timer) {
            ares_process_fd(resolver->channel,
                events[i].events & ~(uint32_t)EPOLLOUT ? descriptor : ARES_SOCKET_BAD,
                events[i].events & EPOLLOUT ? descriptor : ARES_SOCKET_BAD);
        }
    }
    /* Lets c-ares repeat queries that are due. */
    ares_process_fd(resolver->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    sweep(resolver);
    set_timer(resolver);
}

/* Ends the channel. Look-ups that connections still want are kept: done, without a result. */
static void end(oh_resolver *resolver)
{
    oh_lookup *lookup;

    resolver->is_foreign = resolver->owner != getpid();
    ares_destroy(resolver->channel);
    if (resolver->events >= 0) {
        close(resolver->events);
    }
    if (resolver->timer >= 0) {
        close(resolver->timer);
    }
    sweep(resolver);
    while ((lookup = resolver->lookups)) {
        resolver->lookups = lookup->next;
        lookup->is_orphan = true;
    }
    oh_memory_release(resolver);
}

static bool open_channel(oh_resolver *resolver)
{
    struct ares_options options = {.timeout = OH_REPEAT_MS,
        .tries = OH_TRIES,
        .sock_state_cb = watch,
        .sock_state_cb_data = resolver};
    struct epoll_event event = {.events = EPOLLIN};

    resolver->events = epoll_create1(EPOLL_CLOEXEC);
    resolver->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    event.data.fd = resolver->timer;
    if (resolver->events < 0 || resolver->timer < 0 ||
        epoll_ctl(resolver->events, EPOLL_CTL_ADD, resolver->timer, &event) < 0) {
        return false;
    }
    int status = ares_init_options(
        &resolver->channel, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
    errno = status == ARES_ENOMEM ? ENOMEM : EIO;
    return status == ARES_SUCCESS;
}

static oh_resolver *begin(void)
{
    oh_resolver *resolver = oh_memory_zeroed(1, sizeof *resolver);

    if (!resolver) {
        errno = ENOMEM;
        return NULL;
    }
    resolver->owner = getpid();
    resolver->begun_ms = oh_clock_now_ms();
    if (open_channel(resolver)) {
        return resolver;
    }
    int error = errno;
    if (resolver->events >= 0) {
        close(resolver->events);
    }
    if (resolver->timer >= 0) {
        close(resolver->timer);
    }
    oh_memory_release(resolver);
    errno = error;
    return NULL;
}

static bool is_waited_for(const oh_resolver *resolver)
{
    for (const oh_lookup *lookup = resolver->lookups; lookup; lookup = lookup->next) {
        if (lookup->waiting) {
            return true;
        }
    }
    return false;
}

/* The channel of this thread, after it has read what has arrived. NULL if there is none. */
static oh_resolver *current(void)
{
    oh_resolver *resolver = own;

    if (!resolver) {
        return NULL;
    }
    bool is_stale =
        !is_waited_for(resolver) && oh_clock_now_ms() - resolver->begun_ms > OH_STALE_MS;
    if (resolver->owner == getpid() && !is_stale) {
        go_on(resolver);
        if (resolver->lookups) {
            return resolver;
        }
    }
    end(resolver);
    return own = NULL;
}

/* ---- What connection calls ---- */

uint8_t oh_resolver_recall(const char *host, uint16_t port, oh_address addresses[OH_ADDRESSES_MAX])
{
    uint8_t identity[OH_NAME_IDENTITY_BYTES];
    oh_name name;

    current();
    const oh_store_names *known = names();
    if (!known) {
        return 0;
    }
    identify(host, identity);
    return oh_store_recall(known, identity, oh_clock_now_ms(), &name) ? fill(&name, port, addresses)
                                                                      : 0;
}

static oh_lookup *join(const oh_resolver *resolver, const char *host)
{
    for (oh_lookup *lookup = resolver->lookups; lookup; lookup = lookup->next) {
        if (!lookup->is_done && strcmp(lookup->host, host) == 0) {
            lookup->waiting++;
            return lookup;
        }
    }
    return NULL;
}

static oh_lookup *make_lookup(const char *host)
{
    oh_lookup *lookup = oh_memory_zeroed(1, sizeof *lookup);

    if (lookup) {
        lookup->host = oh_memory_copy(host, strlen(host));
        lookup->waiting = 1;
    }
    if (!lookup || !lookup->host) {
        free_lookup(lookup);
        return NULL;
    }
    return lookup;
}

/* Closes the channel if no look-up needs it. */
static void give_up_if_unused(void)
{
    if (own && !own->lookups) {
        end(own);
        own = NULL;
    }
}

oh_lookup *oh_resolver_ask(const char *host)
{
    static const struct ares_addrinfo_hints hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};

    if (!own && !(own = begin())) {
        return NULL;
    }
    oh_lookup *lookup = join(own, host);
    if (lookup) {
        return lookup;
    }
    lookup = make_lookup(host);
    if (!lookup) {
        give_up_if_unused();
        errno = ENOMEM;
        return NULL;
    }
    lookup->next = own->lookups;
    own->lookups = lookup;
    ares_getaddrinfo(own->channel, host, NULL, &hints, take_answer, lookup);
    set_timer(own);
    return lookup;
}

int oh_resolver_descriptor(void)
{
    return own->events;
}

bool oh_resolver_is_done(oh_lookup *lookup)
{
    if (!lookup->is_done && own->owner == getpid()) {
        go_on(own);
    }
    return lookup->is_done;
}

/*
 * c-ares reports the same error for a name server that cannot be reached and for a socket that it
 * could not open. So this function tries to open one.
 */
static int own_error_of(const oh_lookup *lookup)
{
    int descriptor, error;

    if (lookup->found.count || lookup->status == ARES_ENOMEM) {
        return lookup->found.count ? 0 : ENOMEM;
    }
    descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    error = descriptor < 0 ? errno : 0;
    if (descriptor >= 0) {
        close(descriptor);
    }
    return error;
}

uint8_t oh_resolver_result(const oh_lookup *lookup, uint16_t port,
    oh_address addresses[OH_ADDRESSES_MAX], const char **reason, int *own_error)
{
    *own_error = own_error_of(lookup);
    *reason = *own_error ? strerror(*own_error) : ares_strerror(lookup->status);
    return fill(&lookup->found, port, addresses);
}

static oh_ip ip_of(const oh_address *address)
{
    oh_ip ip = {.is_v6 = address->bytes.ss_family == AF_INET6};

    if (ip.is_v6) {
        memcpy(ip.bytes, &((const struct sockaddr_in6 *)&address->bytes)->sin6_addr, 16);
    } else {
        memcpy(ip.bytes, &((const struct sockaddr_in *)&address->bytes)->sin_addr, 4);
    }
    return ip;
}

void oh_resolver_choose(const char *host, const oh_address *address, bool is_first)
{
    uint8_t identity[OH_NAME_IDENTITY_BYTES];
    oh_store_names *known = names();
    oh_ip ip = ip_of(address);
    oh_name name;

    if (!known) {
        return;
    }
    identify(host, identity);
    if (oh_store_recall_last(known, identity, &name) && oh_name_choose(&name, &ip, is_first)) {
        oh_store_remember(known, identity, &name, oh_clock_now_ms());
    }
}

void oh_resolver_leave(oh_lookup *lookup)
{
    if (--lookup->waiting > 0) {
        return;
    }
    if (lookup->is_orphan) {
        free_lookup(lookup);
    } else if (lookup->is_done) {
        sweep(own);
        give_up_if_unused();
    }
}

void oh_resolver_end(void)
{
    if (own) {
        end(own);
        own = NULL;
    }
    oh_memory_release(own_names);
    own_names = NULL;
}
