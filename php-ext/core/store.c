/*
 * Publication first, then owners. Ordering: a slot is filled with plain writes and becomes visible by one release
 * store of `current`; a reader acquires it, copies, and looks again. The copy may race with a publisher that is two
 * generations ahead; the second look and the checksum find that out.
 *
 * Implements spec/topology/segment.md.
 */
#include "store.h"

#include <string.h>

#include "memory.h"

#define ALIGNMENT ((size_t)64)
#define READS_MAX 8
#define IDLE_PID UINT32_MAX
#define LOST_AFTER_MS 1000u

typedef struct slot {
    uint64_t offset;
    uint64_t capacity;
    uint64_t length;
    uint64_t checksum;
} slot;

typedef struct entry {
    _Atomic uint32_t is_used;
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
    _Atomic uint64_t current; /* Generation times two, plus the slot. */
    _Atomic uint64_t looked_ms;
    _Atomic uint64_t version;
    slot slots[2];
} entry; /* Of a server pool. */

typedef struct shared {
    _Atomic uint64_t arena_used;
    entry pools[OH_STORE_POOLS_MAX];
} shared;

/* What bounds every access is this process' own: nobody else can change it. */
struct oh_store {
    shared *shared; /* Behind it the nodes, behind them the arena. */
    size_t length;
    uint32_t nodes_max;
    uint8_t salt[OH_STORE_IDENTITY_BYTES];
};

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

/* ---- Making ---- */

static size_t arena_of(uint32_t nodes_max)
{
    return aligned(sizeof(shared)) + aligned(nodes_max * sizeof(oh_store_node));
}

size_t oh_store_bytes_min(uint32_t nodes_max)
{
    return arena_of(nodes_max);
}

oh_store *oh_store_make(void *memory, size_t length, uint32_t nodes_max, const uint8_t salt[OH_STORE_IDENTITY_BYTES])
{
    oh_store *store;
    if ((uintptr_t)memory % ALIGNMENT != 0 || nodes_max > OH_STORE_NODES_LIMIT ||
        length < oh_store_bytes_min(nodes_max) || (store = oh_memory_allocate(sizeof *store)) == NULL) {
        return NULL;
    }
    *store = (oh_store){.shared = memory, .length = length, .nodes_max = nodes_max};
    memcpy(store->salt, salt, sizeof store->salt);
    return store;
}

void oh_store_release(oh_store *store)
{
    oh_memory_release(store);
}

uint32_t oh_store_nodes_max(const oh_store *store)
{
    return store->nodes_max;
}

const uint8_t *oh_store_salt(const oh_store *store)
{
    return store->salt;
}

/* ---- Server pools ---- */

static uint32_t search(const oh_store *store, const uint8_t *identity, uint32_t *unused)
{
    *unused = OH_STORE_NONE;
    for (uint32_t i = 0; i < OH_STORE_POOLS_MAX; i++) {
        const entry *candidate = &store->shared->pools[i];
        if (!atomic_load_explicit(&candidate->is_used, memory_order_acquire)) {
            *unused = i; /* They are used from the front: behind it there is none. */
            break;
        }
        if (memcmp(candidate->identity, identity, OH_STORE_IDENTITY_BYTES) == 0) {
            return i;
        }
    }
    return OH_STORE_NONE;
}

uint32_t oh_store_find(const oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    uint32_t unused;
    return search(store, identity, &unused);
}

uint32_t oh_store_add(oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    uint32_t unused, found = search(store, identity, &unused);
    if (found != OH_STORE_NONE || unused == OH_STORE_NONE) {
        return found;
    }
    memcpy(store->shared->pools[unused].identity, identity, OH_STORE_IDENTITY_BYTES);
    atomic_store_explicit(&store->shared->pools[unused].is_used, 1, memory_order_release);
    return unused;
}

uint64_t oh_store_generation(const oh_store *store, uint32_t pool)
{
    return atomic_load_explicit(&store->shared->pools[pool].current, memory_order_acquire) >> 1;
}

bool oh_store_is_my_turn(oh_store *store, uint32_t pool, uint64_t now_ms, uint32_t every_ms)
{
    _Atomic uint64_t *looked = &store->shared->pools[pool].looked_ms;
    uint64_t last_ms = atomic_load_explicit(looked, memory_order_relaxed);
    bool is_far = now_ms >= last_ms ? now_ms - last_ms >= every_ms : last_ms - now_ms > every_ms;
    return (last_ms == 0 || is_far) &&
           atomic_compare_exchange_strong_explicit(looked, &last_ms, now_ms, memory_order_acq_rel,
               memory_order_relaxed);
}

_Atomic uint64_t *oh_store_version(oh_store *store, uint32_t pool)
{
    return &store->shared->pools[pool].version;
}

/* ---- Publishing ---- */

static uint64_t checksum_of(const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    uint64_t sum = UINT64_C(0xcbf29ce484222325) ^ length;
    for (size_t i = 0; i < length; i++) {
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return sum;
}

/* A place in the arena with room to grow; 0: it is full. */
static uint64_t reserve(oh_store *store, size_t capacity)
{
    uint64_t used = atomic_load_explicit(&store->shared->arena_used, memory_order_relaxed);
    uint64_t arena = arena_of(store->nodes_max), arena_bytes = store->length - arena;
    if (used > arena_bytes || capacity > arena_bytes - used) {
        return 0;
    }
    atomic_store_explicit(&store->shared->arena_used, used + capacity, memory_order_relaxed);
    return arena + used;
}

/* Read once: what was checked must be what is used, whoever writes meanwhile. */
static slot copy_of(const slot *place)
{
    const volatile slot *at = place;
    return (slot){at->offset, at->capacity, at->length, at->checksum};
}

/* Whether a slot describes bytes of the arena; another user's worker may have written anything there. */
static bool is_inside(const oh_store *store, const slot *place)
{
    return place->offset >= arena_of(store->nodes_max) && place->offset <= store->length && place->length <= place->capacity &&
           place->capacity <= store->length - place->offset;
}

bool oh_store_publish(oh_store *store, uint32_t pool_index, const void *image, size_t length)
{
    entry *target = &store->shared->pools[pool_index];
    uint64_t current = atomic_load_explicit(&target->current, memory_order_relaxed);
    slot *idle = &target->slots[current == 0 ? 0 : ~current & 1], chosen = copy_of(idle);
    if (length == 0 || length > store->length) {
        return false;
    }
    if (chosen.capacity < length || !is_inside(store, &chosen)) {
        size_t capacity = aligned(length + length / 2);
        uint64_t offset = reserve(store, capacity);
        if (offset == 0) {
            return false;
        }
        chosen.offset = offset;
        chosen.capacity = capacity;
    }
    chosen.length = length;
    chosen.checksum = checksum_of(image, length);
    *idle = chosen;
    memcpy((char *)store->shared + chosen.offset, image, length);
    uint64_t generation = (current >> 1) + 1;
    atomic_store_explicit(&target->current, generation << 1 | (uint64_t)(idle - target->slots), memory_order_release);
    return true;
}

size_t oh_store_copy(const oh_store *store, uint32_t pool_index, void *image, size_t room, uint64_t *generation)
{
    const entry *source = &store->shared->pools[pool_index];
    for (int attempt = 0; attempt < READS_MAX; attempt++) {
        uint64_t current = atomic_load_explicit(&source->current, memory_order_acquire);
        slot seen = copy_of(&source->slots[current & 1]);
        *generation = current >> 1;
        if (current == 0) {
            return 0;
        }
        if (!is_inside(store, &seen)) {
            continue;
        }
        if (seen.length > room) {
            return seen.length;
        }
        memcpy(image, (const char *)store->shared + seen.offset, seen.length);
        atomic_thread_fence(memory_order_acquire);
        uint64_t now = atomic_load_explicit(&source->current, memory_order_relaxed) >> 1;
        if (now - *generation <= 1 && checksum_of(image, seen.length) == seen.checksum) {
            return seen.length;
        }
    }
    return 0;
}

/* ---- Nodes ---- */

oh_store_node *oh_store_node_at(const oh_store *store, uint32_t number)
{
    oh_store_node *nodes = (oh_store_node *)((char *)store->shared + aligned(sizeof(shared)));
    return number < store->nodes_max ? nodes + number : NULL;
}

static uint32_t search_node(const oh_store *store, const uint8_t *identity, uint32_t *unused)
{
    *unused = OH_STORE_NONE;
    for (uint32_t i = 0; i < store->nodes_max; i++) {
        const oh_store_node *node = oh_store_node_at(store, i);
        if (!atomic_load_explicit(&node->is_used, memory_order_acquire)) {
            *unused = i;
            break;
        }
        if (memcmp(node->identity, identity, OH_STORE_IDENTITY_BYTES) == 0) {
            return i;
        }
    }
    return OH_STORE_NONE;
}

uint32_t oh_store_find_node(const oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    uint32_t unused;
    return search_node(store, identity, &unused);
}

uint32_t oh_store_add_node(oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    uint32_t unused, found = search_node(store, identity, &unused);
    if (found != OH_STORE_NONE || unused == OH_STORE_NONE) {
        return found;
    }
    oh_store_node *node = oh_store_node_at(store, unused);
    memcpy(node->identity, identity, OH_STORE_IDENTITY_BYTES);
    atomic_store_explicit(&node->is_used, 1, memory_order_release);
    return unused;
}

/* ---- Owners ---- */

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

static bool hand_over(oh_store_node *node, uint32_t place, uint32_t from, uint64_t to)
{
    if (place >= OH_STORE_CONNECTIONS_MAX) {
        return false;
    }
    uint64_t seen = atomic_load(&node->owners[place]);
    return pid_of(seen) == from && atomic_compare_exchange_strong(&node->owners[place], &seen, to);
}

bool oh_store_park(oh_store_node *node, uint32_t place, uint32_t pid, uint64_t now_ms)
{
    return hand_over(node, place, pid, owner(IDLE_PID, now_ms));
}

bool oh_store_take(oh_store_node *node, uint32_t place, uint32_t pid, uint64_t now_ms)
{
    return hand_over(node, place, IDLE_PID, owner(pid, now_ms));
}

void oh_store_free(oh_store_node *node, uint32_t place, uint32_t pid)
{
    hand_over(node, place, pid, 0);
}

/* Instants have 32 bits here, so that they begin anew every 49 days: only differences mean something. */
static uint64_t since(uint64_t owner, uint64_t now_ms)
{
    return now_ms - (uint32_t)((uint32_t)now_ms - (uint32_t)owner);
}

uint32_t oh_store_reclaim(oh_store_node *node, bool (*is_alive)(uint32_t pid, uint64_t since_ms), bool is_queue_empty,
    uint64_t now_ms)
{
    uint32_t reclaimed = 0;
    for (uint32_t i = 0; i < OH_STORE_CONNECTIONS_MAX; i++) {
        uint64_t seen = atomic_load(&node->owners[i]);
        if (seen == 0) {
            continue;
        }
        bool is_lost = pid_of(seen) == IDLE_PID
                           ? is_queue_empty && (uint32_t)((uint32_t)now_ms - (uint32_t)seen) >= LOST_AFTER_MS
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
