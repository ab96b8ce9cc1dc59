/*
 * Owners of connections: one word for each seat, changed by compare-and-swap.
 *
 * Implements spec/topology/segment.md, "Owners".
 */
#include "core/store/store.h"

#define IDLE_PID UINT32_MAX
#define LOST_AFTER_MS 1000u
#define CHECK_EVERY_MS 10u

static uint64_t owner(uint32_t pid, uint64_t now_ms)
{
    return (uint64_t)pid << 32 | (uint32_t)now_ms;
}

static uint32_t pid_of(uint64_t owner)
{
    return (uint32_t)(owner >> 32);
}

uint32_t oh_store_claim(oh_store_node *node, uint32_t limit, uint32_t pid, uint64_t now_ms)
{
    for (uint32_t i = 0; i < limit && i < OH_STORE_CONNECTIONS_MAX; i++) {
        uint64_t expected = 0;

        if (atomic_load_explicit(&node->owners[i], memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong(&node->owners[i], &expected, owner(pid, now_ms))) {
            return i;
        }
    }
    return OH_STORE_NONE;
}

static bool hand_over(oh_store_node *node, uint32_t seat, uint32_t from, uint64_t to)
{
    if (seat >= OH_STORE_CONNECTIONS_MAX) {
        return false;
    }
    uint64_t seen = atomic_load(&node->owners[seat]);
    return pid_of(seen) == from && atomic_compare_exchange_strong(&node->owners[seat], &seen, to);
}

bool oh_store_park(oh_store_node *node, uint32_t seat, uint32_t pid, uint64_t now_ms)
{
    return hand_over(node, seat, pid, owner(IDLE_PID, now_ms));
}

bool oh_store_take(oh_store_node *node, uint32_t seat, uint32_t pid, uint64_t now_ms)
{
    return hand_over(node, seat, IDLE_PID, owner(pid, now_ms));
}

void oh_store_free(oh_store_node *node, uint32_t seat, uint32_t pid)
{
    hand_over(node, seat, pid, 0);
}

/* Instants have 32 bits here and begin again every 49 days. Only differences mean something. */
static uint64_t since(uint64_t owner, uint64_t now_ms)
{
    return now_ms - ((uint32_t)now_ms - (uint32_t)owner);
}

/*
 * True if no process has checked for a while. Scanning all seats is expensive, and many processes
 * may try at the same time.
 */
static bool is_time_to_check(oh_store_node *node, uint64_t now_ms)
{
    uint64_t last_ms = atomic_load_explicit(&node->checked_ms, memory_order_relaxed);
    uint64_t distance_ms = now_ms >= last_ms ? now_ms - last_ms : last_ms - now_ms;

    return distance_ms >= CHECK_EVERY_MS &&
           atomic_compare_exchange_strong(&node->checked_ms, &last_ms, now_ms);
}

uint32_t oh_store_reclaim(oh_store_node *node, bool (*is_alive)(uint32_t pid, uint64_t since_ms),
    bool is_queue_empty, uint64_t now_ms)
{
    uint32_t reclaimed = 0;

    if (!is_time_to_check(node, now_ms)) {
        return 0;
    }
    for (uint32_t i = 0; i < OH_STORE_CONNECTIONS_MAX; i++) {
        uint64_t seen = atomic_load(&node->owners[i]);

        if (seen == 0) {
            continue;
        }
        bool is_lost = pid_of(seen) == IDLE_PID
                           ? is_queue_empty && (uint32_t)now_ms - (uint32_t)seen >= LOST_AFTER_MS
                           : !is_alive(pid_of(seen), since(seen, now_ms));
        reclaimed += is_lost && atomic_compare_exchange_strong(&node->owners[i], &seen, 0);
    }
    return reclaimed;
}

oh_store_usage oh_store_usage_of(const oh_store_node *node, uint32_t limit)
{
    oh_store_usage usage = {0, 0};

    for (uint32_t i = 0; i < limit && i < OH_STORE_CONNECTIONS_MAX; i++) {
        uint32_t pid = pid_of(atomic_load_explicit(&node->owners[i], memory_order_relaxed));

        usage.idle += pid == IDLE_PID;
        usage.leased += pid != 0 && pid != IDLE_PID;
    }
    return usage;
}
