/*
 * All areas of the store share this: entries that are found by their key, turns that one process of
 * the host takes, and texts that are read while another process writes them.
 *
 * Implements spec/topology/segment.md.
 */
#include <string.h>

#include "core/store/store_internal.h"

/* ---- Areas: entries of one size, each with a key; used from the front ---- */

uint32_t oh_store_search(
    const void *area, size_t size, uint32_t count, const uint8_t *identity, uint32_t *unused)
{
    *unused = OH_STORE_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const oh_store_key *key = (const oh_store_key *)((const char *)area + i * size);
        uint32_t tenure = atomic_load_explicit(&key->tenure, memory_order_acquire);

        if (tenure % 2 == 0 && *unused == OH_STORE_NONE) {
            *unused = i;
        }
        if (tenure == 0) {
            break; /* Entries behind one that was never used were never used either. */
        }
        if (tenure % 2 == 1 && memcmp(key->identity, identity, OH_STORE_IDENTITY_BYTES) == 0) {
            return i;
        }
    }
    return OH_STORE_NONE;
}

oh_store_key *oh_store_begin_entry(
    void *area, size_t size, uint32_t count, const uint8_t *identity, uint32_t *number)
{
    uint32_t unused;

    *number = oh_store_search(area, size, count, identity, &unused);
    if (*number != OH_STORE_NONE || unused == OH_STORE_NONE) {
        return NULL;
    }
    *number = unused;
    oh_store_key *key = (oh_store_key *)((char *)area + unused * size);
    memcpy(key->identity, identity, OH_STORE_IDENTITY_BYTES);
    return key;
}

void oh_store_open_entry(oh_store_key *key)
{
    if (key) {
        uint32_t tenure = atomic_load_explicit(&key->tenure, memory_order_relaxed);

        atomic_store_explicit(&key->tenure, tenure + 1, memory_order_release);
    }
}

/* ---- Turns: one process of the host does it ---- */

bool oh_store_is_due(uint64_t last_ms, uint64_t now_ms, uint32_t every_ms)
{
    return last_ms == 0 ||
           (now_ms >= last_ms ? now_ms - last_ms >= every_ms : last_ms - now_ms > every_ms);
}

bool oh_store_take_turn(_Atomic uint64_t *last, uint64_t now_ms, uint32_t every_ms)
{
    uint64_t last_ms = atomic_load_explicit(last, memory_order_relaxed);

    return oh_store_is_due(last_ms, now_ms, every_ms) &&
           atomic_compare_exchange_strong_explicit(
               last, &last_ms, now_ms, memory_order_acq_rel, memory_order_relaxed);
}

/* ---- Texts ---- */

void oh_store_write_text(_Atomic uint64_t *words, size_t count, const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i < count; i++) {
        uint64_t word = 0;
        size_t at = i * sizeof word, rest = at < length ? length - at : 0;

        memcpy(&word, text + (rest > 0 ? at : 0), rest < sizeof word ? rest : sizeof word);
        atomic_store_explicit(&words[i], word, memory_order_relaxed);
    }
}

void oh_store_read_text(const _Atomic uint64_t *words, size_t count, char *text)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = atomic_load_explicit(&words[i], memory_order_relaxed);

        memcpy(text + i * sizeof word, &word, sizeof word);
    }
    text[count * sizeof(uint64_t)] = '\0';
}
