/*
 * Entries of nodes and meters: finding, keeping and giving up.
 *
 * The tenure of an entry is 0 before its first use, odd while it is in use, and even after it was
 * given up. A process that uses a node first writes that it is wanted, then reads the tenure. A
 * process that gives the entry up first changes the tenure, then reads whether the node was wanted.
 * One of the two sees the other, unless one was stopped in between for longer than entries are
 * kept. Then the bookkeeping is wrong for a while, but no connection is used for the wrong node:
 * its note names the node.
 *
 * Implements spec/topology/segment.md, "Entries come and go".
 */
#include <string.h>

#include "core/health/health.h"
#include "core/store/store_internal.h"

#define TIDY_EVERY_MS 1000u
#define TELL_EVERY_MS 3600000u
#define STAMP_EVERY_MS 500u

/* ---- What one process of the host does ---- */

bool oh_store_is_time_to_tidy(oh_store *store, uint64_t now_ms)
{
    return oh_store_take_turn(&store->shared->tidied_ms, now_ms, TIDY_EVERY_MS);
}

bool oh_store_may_tell(oh_store *store, oh_store_news news, uint64_t now_ms)
{
    return oh_store_take_turn(&store->shared->told_ms[news], now_ms, TELL_EVERY_MS);
}

/* ---- Nodes ---- */

_Atomic uint64_t *oh_store_ejections(oh_store *store)
{
    return &store->shared->ejections;
}

oh_store_node *oh_store_node_at(const oh_store *store, uint32_t number)
{
    oh_store_node *nodes =
        (oh_store_node *)((char *)store->shared + oh_store_aligned(sizeof(shared)));

    return number < store->nodes_max ? nodes + number : NULL;
}

uint32_t oh_store_find_node(
    const oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES], uint32_t *tenure)
{
    uint32_t unused, number = oh_store_search(oh_store_node_at(store, 0), sizeof(oh_store_node),
                         store->nodes_max, identity, &unused);
    const oh_store_node *node = oh_store_node_at(store, number);

    *tenure = node ? atomic_load(&node->key.tenure) : 0;
    bool is_it =
        *tenure % 2 == 1 && memcmp(node->key.identity, identity, OH_STORE_IDENTITY_BYTES) == 0;
    /* The entry may have been given up meanwhile. */
    return is_it && oh_store_is_held(node, *tenure) ? number : OH_STORE_NONE;
}

void oh_store_clear_node(oh_store *store, uint32_t number)
{
    oh_store_node *node = oh_store_node_at(store, number);

    for (uint32_t i = 0; i < OH_STORE_CONNECTIONS_MAX; i++) {
        atomic_store_explicit(&node->owners[i], 0, memory_order_relaxed);
    }
    atomic_store(&node->health.state, 0);
    atomic_store(&node->health.heard_ms, 0);
    atomic_store(&node->health.told, 0);
    atomic_store(&node->health.failing_ms, 0);
    atomic_store(&node->health.heirless_ms, 0);
    oh_store_write_text(node->health.reason, OH_STORE_REASON_WORDS, "");
    atomic_store(&node->checked_ms, 0);
    for (uint32_t i = 0; i < store->nodes_max; i++) {
        oh_store_meter *meter = oh_store_meter_at(store, i);

        if (oh_store_is_tied(meter, number)) {
            atomic_fetch_and_explicit(
                &meter->nodes[number / 64], ~(UINT64_C(1) << number % 64), memory_order_relaxed);
        }
    }
    atomic_store(&node->wanted, 0);
}

uint32_t oh_store_add_node(oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES],
    uint64_t now_ms, uint32_t *tenure)
{
    uint32_t number;
    oh_store_key *key = oh_store_begin_entry(
        oh_store_node_at(store, 0), sizeof(oh_store_node), store->nodes_max, identity, &number);

    if (key) {
        oh_store_clear_node(store, number);
        atomic_store(&oh_store_node_at(store, number)->wanted, now_ms << 1);
    }
    oh_store_open_entry(key);
    const oh_store_node *node = oh_store_node_at(store, number);
    *tenure = node ? atomic_load(&node->key.tenure) : 0;
    return number;
}

bool oh_store_is_held(const oh_store_node *node, uint32_t tenure)
{
    return atomic_load_explicit(&node->key.tenure, memory_order_acquire) == tenure;
}

bool oh_store_want(oh_store_node *node, uint32_t tenure, uint64_t now_ms)
{
    uint64_t seen = atomic_load_explicit(&node->wanted, memory_order_relaxed);

    if (!oh_store_is_held(node, tenure)) {
        return false;
    }
    if (now_ms - (seen >> 1) < STAMP_EVERY_MS && seen % 2 == 0) {
        return true;
    }
    atomic_store(&node->wanted, now_ms << 1);
    return atomic_load(&node->key.tenure) == tenure;
}

void oh_store_leave(oh_store_node *node, uint32_t tenure, uint64_t now_ms)
{
    if (oh_store_is_held(node, tenure)) {
        atomic_store(&node->wanted, now_ms << 1 | 1);
    }
}

bool oh_store_is_left(const oh_store_node *node)
{
    return atomic_load_explicit(&node->wanted, memory_order_relaxed) % 2 == 1;
}

oh_store_use oh_store_use_of(const oh_store_node *node, uint64_t now_ms)
{
    uint64_t wanted = atomic_load(&node->wanted), since_ms = wanted >> 1;
    uint64_t age_ms = now_ms >= since_ms ? now_ms - since_ms : since_ms - now_ms;

    if (atomic_load(&node->key.tenure) % 2 == 0) {
        return wanted != 0 ? OH_STORE_LEFT : OH_STORE_FREE;
    }
    if (age_ms < (wanted % 2 ? OH_STORE_LEFT_MS : OH_STORE_QUIET_MS)) {
        return OH_STORE_USED;
    }
    /* The health of a node that rests or is ejected is kept until its time is over. */
    bool is_down = oh_health_until(atomic_load(&node->health.state)) > now_ms;
    return wanted % 2 && !is_down ? OH_STORE_LEFT : is_down ? OH_STORE_RESTING : OH_STORE_QUIET;
}

/*
 * Checks again whether the node is used: after the check of the caller, another process may have
 * wanted the node and found its entry.
 */
bool oh_store_give_up_node(oh_store_node *node, uint64_t now_ms)
{
    uint32_t tenure = atomic_load(&node->key.tenure);
    uint64_t seen = atomic_load(&node->wanted);
    oh_store_use use = oh_store_use_of(node, now_ms);

    if (use != OH_STORE_LEFT && use != OH_STORE_QUIET) {
        return false;
    }
    if (tenure % 2 == 0) {
        return true; /* A process died before it had cleared this entry. */
    }
    atomic_store(&node->key.tenure, tenure + 1);
    if (atomic_load(&node->wanted) != seen ||
        oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX).leased > 0) {
        atomic_store(&node->key.tenure, tenure);
        return false;
    }
    return true;
}

/* ---- Meters ---- */

oh_store_meter *oh_store_meter_at(const oh_store *store, uint32_t number)
{
    oh_store_meter *meters =
        (oh_store_meter *)((char *)store->shared + oh_store_meters_of(store->nodes_max));

    return number < store->nodes_max ? meters + number : NULL;
}

uint32_t oh_store_find_meter(const oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    uint32_t unused;

    return oh_store_search(
        oh_store_meter_at(store, 0), sizeof(oh_store_meter), store->nodes_max, identity, &unused);
}

uint32_t oh_store_add_meter(oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    uint32_t number;
    oh_store_key *key = oh_store_begin_entry(
        oh_store_meter_at(store, 0), sizeof(oh_store_meter), store->nodes_max, identity, &number);
    oh_store_meter *meter = key ? oh_store_meter_at(store, number) : NULL;

    if (meter) {
        memset((void *)meter->nodes, 0, sizeof meter->nodes);
        memset((void *)&meter->meter, 0, sizeof meter->meter);
    }
    oh_store_open_entry(key);
    return number;
}

bool oh_store_give_up_meter(oh_store *store, uint32_t number, uint64_t now_ms)
{
    oh_store_meter *meter = oh_store_meter_at(store, number);
    uint32_t tenure = atomic_load(&meter->key.tenure);

    for (uint32_t i = 0; i < store->nodes_max; i++) {
        if (oh_store_is_tied(meter, i) &&
            oh_store_use_of(oh_store_node_at(store, i), now_ms) == OH_STORE_USED) {
            return false;
        }
    }
    if (tenure % 2 == 1) {
        atomic_store(&meter->key.tenure, tenure + 1);
    }
    return tenure % 2 == 1;
}

void oh_store_tie(oh_store_meter *meter, uint32_t node)
{
    if (node < OH_STORE_NODES_LIMIT) {
        atomic_fetch_or_explicit(
            &meter->nodes[node / 64], UINT64_C(1) << node % 64, memory_order_relaxed);
    }
}

bool oh_store_is_tied(const oh_store_meter *meter, uint32_t node)
{
    return node < OH_STORE_NODES_LIMIT &&
           (atomic_load_explicit(&meter->nodes[node / 64], memory_order_relaxed) >> node % 64 & 1);
}
