/*
 * A process that uses a node marks the entry as wanted, which keeps it. A process that finds no
 * entry makes one. If there is no room, it frees an entry that is no longer needed: the server was
 * removed from the file, its password or pool_size has changed, or the node has left its cluster.
 * Idle connections of such a node are in a queue that no process reads.
 *
 * Once a second, one worker of the host checks the entries at the end of its request. If it dies
 * during that, the next worker finds the entry unchanged, or given up and not yet empty.
 *
 * Implements spec/topology/segment.md, "Entries come and go".
 */
#include "engine/pool/pool_entry.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/hash/md5.h"

#include "engine/base/log.h"
#include "engine/shared/queue.h"
#include "engine/shared/segment.h"

/* A process that got no entry tries again after this time. */
#define OH_JOIN_EVERY_MS 10000
/* Pulls are limited, because another process may push faster than this one pulls. */
#define OH_PULLS_MAX (2 * OH_STORE_CONNECTIONS_MAX)

static bool is_shared; /* True if workers share connections. */

void oh_host_startup(bool is_wanted)
{
    is_shared = is_wanted && oh_segment_store();
    if (is_shared) {
        oh_queue_startup(oh_store_nodes_max(oh_segment_store()));
    }
}

/* ---- Log lines ---- */

/*
 * How many descriptors the processes of one user may have in flight in unix sockets; 0 if there is
 * no limit.
 */
static uint64_t descriptors_max(void)
{
    struct rlimit limit;

    return geteuid() == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
                   limit.rlim_cur == RLIM_INFINITY
               ? 0
               : limit.rlim_cur;
}

void oh_host_log(oh_store_news news)
{
    static const char *const texts[] = {
        [OH_STORE_NO_PLACE] = "more than %llu nodes are in use (onehop.max_nodes): each worker "
                              "keeps connections of the others, and what it "
                              "knows of them, for itself; raise onehop.max_nodes",
        [OH_STORE_NO_PUSH] = "the kernel takes no more idle connections (%llu descriptors on their "
                             "way between workers, for all programs of "
                             "this user): workers close them instead of sharing them; raise "
                             "LimitNOFILE of php-fpm's service, or lower pool_size",
        [OH_STORE_FEW_DESCRIPTORS] = "three quarters of the %llu descriptors that may be on their "
                                     "way between workers are idle connections: raise "
                                     "LimitNOFILE of php-fpm's service, or lower pool_size"};
    oh_store *store = oh_segment_store();
    uint64_t number = news == OH_STORE_NO_PLACE ? oh_store_nodes_max(store) : descriptors_max();
    char text[512];

    if (oh_store_may_tell(store, news, oh_clock_now_ms())) {
        snprintf(text, sizeof text, texts[news], (unsigned long long)number);
        oh_log_note(LOG_WARNING, "OneHop: %s", text);
    }
}

/* ---- Giving up ---- */

/* Closes the idle connections of an entry. An entry without a queue has none. */
static void drain(uint32_t number)
{
    oh_store_node *node = oh_store_node_at(oh_segment_store(), number);
    uint32_t pid = (uint32_t)getpid();
    uint64_t now_ms = oh_clock_now_ms();
    oh_queue_note note;
    int descriptor;

    for (uint32_t i = 0; oh_queue_exists(number) && i < OH_PULLS_MAX &&
                         (descriptor = oh_queue_pull(number, &note)) >= 0;
        i++) {
        if (memcmp(note.identity, node->key.identity, sizeof note.identity) == 0 &&
            oh_store_take(node, note.seat, pid, now_ms)) {
            oh_store_free(node, note.seat, pid);
        }
        close(descriptor);
    }
    oh_store_reclaim(node, oh_worker_is_alive, true, now_ms);
}

static bool give_up(uint32_t number, uint64_t now_ms)
{
    oh_store *store = oh_segment_store();

    if (!oh_store_give_up_node(oh_store_node_at(store, number), now_ms)) {
        return false;
    }
    drain(number);
    oh_store_clear_node(store, number);
    return true;
}

static bool make_room(uint64_t now_ms)
{
    const oh_store *store = oh_segment_store();

    for (uint32_t i = 0; i < oh_store_nodes_max(store); i++) {
        if (give_up(i, now_ms)) {
            return true;
        }
    }
    return false;
}

/* ---- Joining and leaving ---- */

/*
 * Makes the identity of an entry. It includes the user: workers of other users open their own
 * connections, even with the same password.
 */
static void identify(const char *text, size_t length, uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    uint32_t user = (uint32_t)geteuid();
    oh_md5 md5;

    oh_md5_begin(&md5);
    oh_md5_add(&md5, oh_store_salt(oh_segment_store()), OH_STORE_IDENTITY_BYTES);
    oh_md5_add(&md5, &user, sizeof user);
    oh_md5_add(&md5, text, length);
    oh_md5_end(&md5, identity);
}

void oh_host_begin(oh_host_node *node, const char *text, size_t length, uint32_t size_max)
{
    node->size_max = size_max;
    node->number = OH_STORE_NONE;
    if (oh_segment_store()) {
        identify(text, length, node->identity);
    }
}

bool oh_host_is_joined(const oh_host_node *node, uint64_t now_ms)
{
    if (OH_LIKELY(node->shared)) {
        return oh_store_want(node->shared, node->tenure, now_ms);
    }
    return node->checked_ms &&
           (!oh_segment_store() || now_ms - node->checked_ms < OH_JOIN_EVERY_MS);
}

void oh_host_join(oh_host_node *node, uint64_t now_ms)
{
    oh_store *store = oh_segment_store();
    bool is_full = false;

    node->checked_ms = now_ms;
    node->shared = NULL;
    if (!store) {
        return;
    }
    node->number = oh_store_find_node(store, node->identity, &node->tenure);
    if (node->number == OH_STORE_NONE && oh_segment_lock()) {
        node->number = oh_store_add_node(store, node->identity, now_ms, &node->tenure);
        if (node->number == OH_STORE_NONE && make_room(now_ms)) {
            node->number = oh_store_add_node(store, node->identity, now_ms, &node->tenure);
        }
        oh_segment_unlock();
        is_full = node->number == OH_STORE_NONE;
    }
    node->shared = oh_store_node_at(store, node->number);
    if (node->shared) {
        node->joined++;
        oh_store_want(node->shared, node->tenure, now_ms);
    } else if (is_full && is_shared) {
        oh_host_log(OH_STORE_NO_PLACE);
    }
}

void oh_host_leave(const oh_host_node *node)
{
    if (node->shared && oh_segment_store()) {
        oh_store_leave(node->shared, node->tenure, oh_clock_now_ms());
    }
}

bool oh_host_keeps(const oh_host_node *node)
{
    return is_shared && node->shared && node->size_max <= OH_STORE_CONNECTIONS_MAX &&
           oh_queue_exists(node->number);
}

bool oh_host_is_shared(void)
{
    return is_shared;
}

/* ---- Tidying ---- */

/*
 * Closes the connections and gives up the entry of a node that is not needed. Returns how many
 * connections are still idle.
 */
static uint32_t tidy(uint32_t number, uint64_t now_ms)
{
    const oh_store_node *node = oh_store_node_at(oh_segment_store(), number);
    oh_store_use use = oh_store_use_of(node, now_ms);

    if (use == OH_STORE_FREE) {
        return 0;
    }
    oh_store_usage usage = oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX);
    if (use != OH_STORE_USED && usage.leased + usage.idle > 0) {
        drain(number);
        usage = oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX);
    }
    if (use == OH_STORE_LEFT && usage.leased == 0 && oh_segment_try_lock()) {
        give_up(number, now_ms);
        oh_segment_unlock();
    }
    return usage.idle;
}

void oh_host_tidy(void)
{
    oh_store *store = oh_segment_store();
    uint64_t now_ms = oh_clock_now_ms(), idle = 0, idle_max;

    if (!is_shared || OH_LIKELY(!oh_store_is_time_to_tidy(store, now_ms))) {
        return;
    }
    for (uint32_t i = 0; i < oh_store_nodes_max(store); i++) {
        idle += tidy(i, now_ms);
    }
    idle_max = descriptors_max();
    if (idle_max && idle * 4 >= idle_max * 3) {
        oh_host_log(OH_STORE_FEW_DESCRIPTORS);
    }
}

oh_host_view oh_host_view_now(void)
{
    const oh_store *store = oh_segment_store();
    oh_host_view view = {
        .nodes_max = store ? oh_store_nodes_max(store) : 0, .idle_max = descriptors_max()};
    uint64_t now_ms = oh_clock_now_ms();

    for (uint32_t i = 0; i < view.nodes_max; i++) {
        const oh_store_node *node = oh_store_node_at(store, i);

        if (oh_store_use_of(node, now_ms) != OH_STORE_FREE) {
            view.nodes++;
            view.idle += oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX).idle;
        }
    }
    return view;
}
