/*
 * Server pools and their published images. (store_entry has the entries of nodes and meters,
 * store_owner the owners of connections, store_area what all entries have in common.)
 *
 * Ordering: a slot is filled with plain writes and becomes visible by one release store of
 * `current`. A reader acquires it, copies, and reads it again. The copy may race with a publisher
 * that is two generations ahead; the second read and the checksum detect that.
 *
 * Implements spec/topology/segment.md.
 */
#include <string.h>

#include "core/base/memory.h"
#include "core/store/store_internal.h"

#define READS_MAX 8

/* ---- Making ---- */

static size_t arena_of(uint32_t nodes_max)
{
    return oh_store_meters_of(nodes_max) + nodes_max * sizeof(oh_store_meter);
}

size_t oh_store_bytes_min(uint32_t nodes_max)
{
    return arena_of(nodes_max);
}

oh_store *oh_store_make(
    void *memory, size_t length, uint32_t nodes_max, const uint8_t salt[OH_STORE_IDENTITY_BYTES])
{
    oh_store *store;

    if ((uintptr_t)memory % OH_STORE_ALIGNMENT != 0 || nodes_max > OH_STORE_NODES_LIMIT ||
        length < oh_store_bytes_min(nodes_max) || !(store = oh_memory_allocate(sizeof *store))) {
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

uint32_t oh_store_find(const oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    uint32_t unused;

    return oh_store_search(
        store->shared->pools, sizeof(entry), OH_STORE_POOLS_MAX, identity, &unused);
}

uint32_t oh_store_add(
    oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES], const char *label)
{
    uint32_t number;
    size_t length = strlen(label),
           skipped = length < OH_STORE_LABEL_BYTES ? 0 : length + 1 - OH_STORE_LABEL_BYTES;
    oh_store_key *key = oh_store_begin_entry(
        store->shared->pools, sizeof(entry), OH_STORE_POOLS_MAX, identity, &number);

    if (key) {
        memcpy(store->shared->pools[number].label, label + skipped, length - skipped + 1);
    }
    oh_store_open_entry(key);
    return number;
}

uint32_t oh_store_pools_count(const oh_store *store)
{
    uint32_t count = 0;

    while (count < OH_STORE_POOLS_MAX &&
           atomic_load_explicit(&store->shared->pools[count].key.tenure, memory_order_acquire)) {
        count++;
    }
    return count;
}

void oh_store_label(const oh_store *store, uint32_t pool, char label[OH_STORE_LABEL_BYTES])
{
    memcpy(label, store->shared->pools[pool].label, OH_STORE_LABEL_BYTES);
    label[OH_STORE_LABEL_BYTES - 1] = '\0';
}

void oh_store_identity(
    const oh_store *store, uint32_t pool, uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    memcpy(identity, store->shared->pools[pool].key.identity, OH_STORE_IDENTITY_BYTES);
}

uint64_t oh_store_generation(const oh_store *store, uint32_t pool)
{
    return atomic_load_explicit(&store->shared->pools[pool].current, memory_order_acquire) >> 1;
}

bool oh_store_is_my_turn(oh_store *store, uint32_t pool, uint64_t now_ms, uint32_t every_ms)
{
    return oh_store_take_turn(&store->shared->pools[pool].checked_ms, now_ms, every_ms);
}

/*
 * The id of the process is written before the time. If the process dies between the two, the id
 * shows that it is gone.
 */
bool oh_store_begin_check(oh_store *store, uint32_t pool, uint32_t pid, uint64_t now_ms,
    uint32_t every_ms, bool (*is_alive)(uint32_t pid, uint64_t since_ms))
{
    entry *checked = &store->shared->pools[pool];
    uint64_t checker = atomic_load_explicit(&checked->checker, memory_order_acquire);
    uint64_t last_ms = atomic_load_explicit(&checked->checked_ms, memory_order_relaxed);
    uint32_t age_ms = (uint32_t)now_ms - (uint32_t)checker;

    if (!oh_store_is_due(last_ms, now_ms, every_ms) &&
        (checker == 0 || is_alive((uint32_t)(checker >> 32), now_ms - age_ms))) {
        return false;
    }
    if (!atomic_compare_exchange_strong(
            &checked->checker, &checker, (uint64_t)pid << 32 | (uint32_t)now_ms)) {
        return false;
    }
    atomic_store_explicit(&checked->checked_ms, now_ms, memory_order_relaxed);
    return true;
}

void oh_store_end_check(oh_store *store, uint32_t pool, uint32_t pid)
{
    _Atomic uint64_t *checker = &store->shared->pools[pool].checker;
    uint64_t seen = atomic_load(checker);
    if (seen >> 32 == pid) {
        atomic_compare_exchange_strong(checker, &seen, 0);
    }
}

void oh_store_pass_check(oh_store *store, uint32_t pool, uint32_t pid)
{
    atomic_store_explicit(&store->shared->pools[pool].checked_ms, 0, memory_order_relaxed);
    oh_store_end_check(store, pool, pid);
}

bool oh_store_is_checking(const oh_store *store, uint32_t pool)
{
    return atomic_load_explicit(&store->shared->pools[pool].checker, memory_order_acquire) != 0;
}

uint64_t oh_store_checked_ms(const oh_store *store, uint32_t pool)
{
    return atomic_load_explicit(&store->shared->pools[pool].checked_ms, memory_order_relaxed);
}

_Atomic uint64_t *oh_store_version(oh_store *store, uint32_t pool)
{
    return &store->shared->pools[pool].version;
}

_Atomic uint64_t *oh_store_problem(oh_store *store, uint32_t pool)
{
    return store->shared->pools[pool].problem;
}

_Atomic uint64_t *oh_store_read_at(oh_store *store, uint32_t pool)
{
    return &store->shared->pools[pool].read_at;
}

/* ---- Publishing ---- */

/*
 * The sum takes eight bytes at a time, because every worker computes it for every map. A product
 * never carries high bits down, but the shift after it does.
 */
static uint64_t checksum_of(const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    uint64_t sum = UINT64_C(0xcbf29ce484222325) ^ length, word = 0;

    for (size_t left = length; left > 0; at += sizeof word) {
        size_t count = left < sizeof word ? left : sizeof word;

        memcpy(&word, at, count);
        sum = (sum ^ word) * UINT64_C(0x100000001b3);
        sum ^= sum >> 32;
        left -= count;
    }
    return sum;
}

/* Reserves room in the arena, with room to grow; 0 if it is full. */
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

/* Read once: the checked value must be the used one, even if another process writes meanwhile. */
static slot copy_of(const slot *place)
{
    const volatile slot *at = place;

    return (slot){at->offset, at->capacity, at->length, at->checksum};
}

/*
 * True if a slot describes bytes of the arena. Another user's worker may have written anything
 * there.
 */
static bool is_inside(const oh_store *store, const slot *place)
{
    return place->offset >= arena_of(store->nodes_max) && place->offset <= store->length &&
           place->length <= place->capacity && place->capacity <= store->length - place->offset;
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
        size_t capacity = oh_store_aligned(length + length / 2);
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
    atomic_store_explicit(
        &target->current, generation << 1 | (uint64_t)(idle - target->slots), memory_order_release);
    return true;
}

size_t oh_store_copy(
    const oh_store *store, uint32_t pool_index, void *image, size_t room, uint64_t *generation)
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

/* ---- Names ---- */

oh_store_names *oh_store_names_of(oh_store *store)
{
    return &store->shared->names;
}
