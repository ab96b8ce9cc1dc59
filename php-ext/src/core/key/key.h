/*
 * Key: which bytes of a key decide where it lives.
 *
 * In: a key. Out: the bytes that are hashed, which are the part between the two characters of the
 * server pool's hash tag if the key has one, otherwise the whole key. Nodes always store the whole
 * key; only placement uses the part. Redis Cluster has the same rule with the fixed tag `{}` and
 * turns the part into one of 16,384 slots.
 *
 * A key comes to this room first; the bytes that decide go on to hash. Pure: the result points into
 * the caller's bytes.
 *
 * Implements spec/key.
 */
#ifndef OH_KEY_H
#define OH_KEY_H

#include "core/base/slice.h"

/* The number of slots of every Redis Cluster; fixed by its protocol. */
#define OH_SLOTS_COUNT 16384

/*
 * The part of `key` that is hashed under the hash tag `tag` (its two bytes), or all of it if `tag`
 * is NULL.
 */
oh_bytes oh_key_hashed(oh_bytes key, const uint8_t tag[2]);

/*
 * The part that Jedis hashes, as its regular expression \{(.+?)\} finds it with the characters of
 * `tag`: at least one character between the two, all in one line. The whole key if it has no such
 * part, or is not UTF-8.
 */
oh_bytes oh_key_hashed_lazily(oh_bytes key, const uint8_t tag[2]);

/*
 * The part between the first "{" and the first "}" after it, which may be empty. Without these two,
 * the whole key.
 */
oh_bytes oh_key_hashed_loosely(oh_bytes key);

/* The slot of `key` in a Redis Cluster, 0 .. OH_SLOTS_COUNT - 1, by Redis' own hash tag rule. */
uint32_t oh_key_slot(oh_bytes key);

#endif
