/*
 * The server pools that a thread has loaded. The first use of a pool reads it from the store or the
 * file. After that, one load from shared memory shows if its snapshot is still current.
 */
#include "engine/source/source.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/generated/timings.h"
#include "core/hash/md5.h"

#include "engine/base/wait.h"
#include "engine/nodes/nodes.h"
#include "engine/shared/segment.h"
#include "engine/source/source_internal.h"

#define OH_CHECK_AGAIN_MS 2 /* How often to check if another process has finished. */

/* A short list, in the order in which they were loaded. */
static OH_PER_THREAD oh_loaded *first;

/* ---- From the store ---- */

/*
 * Finds the secrets, which are not in the store. This process has them already, or reads them from
 * the file.
 */
static bool find_secrets(oh_loaded *loaded, oh_config_image *config_image)
{
    const oh_snapshot *before = loaded->snapshot;
    oh_config_image own;

    if (!oh_image_has_secrets(config_image->image)) {
        return true;
    }
    if (before &&
        oh_image_is_of_secrets(config_image->image, oh_loaded_salt(), &before->own_pool)) {
        return oh_secrets_copy(&config_image->secrets, &before->own_pool);
    }
    if (!oh_config_image_make(&own, &loaded->origin, loaded->name, oh_loaded_salt())) {
        if (own.is_of_process) {
            oh_watch_refuse(loaded, own.failure.what);
        }
        return false;
    }
    /* The file is newer than the published image, so the file is used. */
    oh_config_image_free(config_image);
    *config_image = own;
    return true;
}

static bool follow(oh_loaded *loaded)
{
    oh_config_image config_image;
    uint64_t generation;
    uint8_t digest[OH_IMAGE_DIGEST_BYTES];

    if (!oh_watch_is_allowed(loaded) || !oh_loaded_copy(loaded, &config_image, &generation)) {
        return false;
    }
    if (OH_UNLIKELY(!oh_config_image_is_mine(config_image.image, oh_loaded_salt(), digest))) {
        oh_loaded_be_foreign(loaded, digest, generation);
        oh_config_image_free(&config_image);
        return false;
    }
    if (!find_secrets(loaded, &config_image)) {
        oh_config_image_free(&config_image);
        return false;
    }
    return oh_loaded_adopt(loaded, &config_image, generation);
}

/* ---- From the file ---- */

static bool is_published(oh_loaded *loaded)
{
    loaded->entry = oh_store_find(oh_segment_store(), loaded->identity);
    return loaded->entry != OH_STORE_NONE &&
           oh_store_generation(oh_segment_store(), loaded->entry) > 0;
}

/*
 * The first process of the host reads the file, under the lock. The others wait for it and find the
 * published image. Only a pool that could be read gets an entry: there are not enough entries for
 * every misspelt name.
 */
static bool read_first(oh_loaded *loaded, oh_config_image *config_image)
{
    memset(config_image, 0, sizeof *config_image);
    if (is_published(loaded) || !oh_segment_lock()) {
        return false;
    }
    bool is_mine = !is_published(loaded);
    if (is_mine) {
        if (oh_config_image_make(config_image, &loaded->origin, loaded->name, oh_loaded_salt())) {
            loaded->entry = oh_store_add(oh_segment_store(), loaded->identity, loaded->origin.path);
            if (loaded->entry != OH_STORE_NONE && oh_loaded_publish(loaded, config_image) == 0) {
                /* It does not fit, so each process continues without the store. */
                loaded->entry = OH_STORE_NONE;
            }
            oh_loaded_note_read(loaded, NULL);
        }
        oh_watch_begin_check(loaded);
        oh_watch_note_version(loaded, config_image->version);
    }
    oh_segment_unlock();
    return is_mine;
}

static bool fail(oh_loaded *loaded, const oh_config_image *config_image, oh_failure *failure)
{
    loaded->refused_ms = config_image->is_of_process ? oh_clock_now_ms() : 0;
    *failure = config_image->failure;
    return false;
}

/* `warns`: one process of the host warns of what was read. */
static bool adopt_first(
    oh_loaded *loaded, oh_config_image *config_image, bool warns, oh_failure *failure)
{
    oh_exposed exposed = config_image->exposed;

    if (oh_loaded_adopt(loaded, config_image, 1)) {
        if (warns) {
            oh_watch_warn_read(loaded, exposed);
        }
        return true;
    }
    oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
    return false;
}

/*
 * How many entries of other environments a process meets before it goes on without the store. One
 * is usual; more are met while a file changes.
 */
#define OH_FOREIGN_MAX 4

/*
 * Finds the published image of this process' environment. If there is none, the result is false and
 * `loaded` has the identity for it.
 */
static bool follow_first(oh_loaded *loaded)
{
    for (int met = 0; met < OH_FOREIGN_MAX && is_published(loaded); met++) {
        if (follow(loaded)) {
            return true;
        }
        if (!loaded->foreign) {
            return false;
        }
        oh_loaded_become_other(loaded, loaded);
    }
    return false;
}

/* Loads the pool for the first time. False and a failure if that fails. */
static bool begin(oh_loaded *loaded, oh_failure *failure)
{
    oh_config_image config_image;

    if (oh_segment_store() && follow_first(loaded)) {
        return true;
    }
    if (oh_segment_store() && read_first(loaded, &config_image)) {
        if (!config_image.image) {
            return fail(loaded, &config_image, failure);
        }
        return adopt_first(loaded, &config_image, true, failure);
    }
    if (oh_segment_store() && loaded->entry != OH_STORE_NONE && follow_first(loaded)) {
        return true;
    }
    loaded->entry = OH_STORE_NONE;
    loaded->checked_ms = oh_clock_now_ms();
    if (!oh_config_image_make(&config_image, &loaded->origin, loaded->name, oh_loaded_salt())) {
        return fail(loaded, &config_image, failure);
    }
    loaded->version = config_image.version;
    oh_loaded_note_read(loaded, NULL);
    return adopt_first(loaded, &config_image, !oh_segment_store(), failure);
}

/* ---- The list ---- */

static bool is_of(const oh_loaded *loaded, oh_text name, const char *path)
{
    return !loaded->is_moved && oh_text_is_same(loaded->name, name) &&
           strcmp(loaded->origin.path, path) == 0;
}

/* The position of a pool in the list, or the end of the list. */
static oh_loaded **find(oh_text name, const char *path)
{
    oh_loaded **place = &first;

    while (*place && !is_of(*place, name, path)) {
        place = &(*place)->next;
    }
    return place;
}

static void drop(oh_loaded **place)
{
    oh_loaded *loaded = *place;

    if (loaded) {
        *place = loaded->next;
        oh_loaded_forget(loaded);
    }
}

/* Finds a loaded pool, or loads it. NULL and a failure if that fails. */
static oh_loaded *know(oh_text name, const oh_config_origin *origin, oh_failure *failure)
{
    oh_loaded **place = find(name, origin->path);

    if (!*place && !(*place = oh_loaded_new(name, origin))) {
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
        return NULL;
    }
    oh_loaded *loaded = *place;
    if (OH_UNLIKELY(!loaded->snapshot) && !begin(loaded, failure)) {
        drop(find(name, origin->path));
        return NULL;
    }
    return loaded;
}

void oh_source_shutdown(void)
{
    while (first) {
        drop(&first);
    }
}

/* ---- What clients call ---- */

/*
 * Replaces what the configuration names: the seeds of a Redis Cluster by the cluster's map, and the
 * addresses of watched masters by those that the Sentinels name.
 */
static oh_snapshot *take_map(oh_loaded *loaded, oh_map_kind kind, oh_failure *failure)
{
    oh_nodes **nodes = &loaded->nodes[kind];

    if (!*nodes) {
        *nodes = oh_nodes_open(loaded->snapshot->identity, kind, loaded->origin.path);
    }
    if (!*nodes) {
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
        return NULL;
    }
    oh_snapshot *map = oh_nodes_discover(*nodes, loaded->snapshot, failure);
    if (map) {
        map->followed = loaded->snapshot->followed;
    }
    return map;
}

/*
 * The published image is now that of another environment. Goes on with an image of its own, if the
 * file can be read; otherwise the configuration read before stays in use.
 */
static oh_loaded *move(oh_loaded *loaded)
{
    oh_loaded *other = oh_loaded_new(loaded->name, &loaded->origin);
    oh_failure failure;

    if (other) {
        oh_loaded_become_other(other, loaded);
    }
    if (!other || !begin(other, &failure)) {
        bool is_of_process = other && other->refused_ms > 0;

        if (other) {
            oh_loaded_forget(other);
        }
        loaded->generation = is_of_process ? loaded->generation : loaded->foreign;
        loaded->foreign = 0;
        if (is_of_process) { /* Otherwise the process that checks the file warns. */
            oh_watch_refuse(loaded, failure.what);
        }
        return loaded;
    }
    loaded->is_moved = true;
    other->next = first;
    first = other;
    return other;
}

/* Sets when existing clients check again. */
static void put_off(oh_loaded *loaded, uint32_t milliseconds)
{
    loaded->followed.due_ns = oh_clock_coarse_ns() + milliseconds * UINT64_C(1000000);
}

/*
 * The newest version of the configuration. NULL and a failure if there is none. `is_urgent`: the
 * file is checked even within the second.
 */
static oh_loaded *load_file(
    oh_text name, const oh_config_origin *origin, bool is_urgent, oh_failure *failure)
{
    oh_loaded *loaded = know(name, origin, failure);

    if (!loaded) {
        return NULL;
    }
    loaded->is_urgent = is_urgent;
    put_off(loaded, OH_CONFIG_FOLLOW_EVERY_MS);
    oh_snapshot *snapshot = loaded->snapshot;
    snapshot->references++;
    if (loaded->entry != OH_STORE_NONE &&
        OH_UNLIKELY(oh_store_generation(oh_segment_store(), loaded->entry) != loaded->generation)) {
        follow(loaded);
    }
    if (OH_UNLIKELY(loaded->foreign != 0)) {
        loaded = move(loaded);
    }
    if (OH_UNLIKELY(oh_watch_begin_check(loaded))) {
        oh_watch_check(loaded);
    }
    oh_snapshot_release(snapshot);
    return loaded;
}

static oh_snapshot *load(oh_text name, const oh_config_origin *origin, bool is_urgent,
    oh_failure *failure, bool *is_found)
{
    oh_loaded *loaded = load_file(name, origin, is_urgent, failure);

    *is_found = loaded != NULL;
    if (!loaded) {
        return NULL;
    }
    oh_map_kind kind = oh_map_kind_of(loaded->snapshot->pool);
    if (kind != OH_MAP_KINDS_COUNT) {
        return take_map(loaded, kind, failure);
    }
    loaded->snapshot->references++;
    return loaded->snapshot;
}

oh_snapshot *oh_source_load(oh_text name, const char *path, oh_failure *failure, bool *is_found)
{
    oh_config_origin origin = {.path = path};

    return load(name, &origin, false, failure, is_found);
}

/*
 * A changed file may turn a plain server pool into a Redis Cluster. If none of its nodes answers,
 * asking them takes as long as a call may take, so the next try is not made soon.
 */
oh_snapshot *oh_source_follow(const oh_snapshot *snapshot)
{
    oh_loaded *loaded = snapshot->followed->loaded;
    oh_failure failure;
    bool is_found;

    put_off(loaded, OH_CONFIG_FOLLOW_EVERY_MS);
    oh_snapshot *newest = load(loaded->name, &loaded->origin, false, &failure, &is_found);
    if (newest == snapshot) {
        oh_snapshot_release(newest);
        return NULL;
    }
    if (!newest) {
        put_off(loaded, OH_CONFIG_AGAIN_MS);
        loaded->outdated.due_ns = loaded->followed.due_ns;
        oh_watch_warn("OneHop: %s; the configuration read before stays in use", failure.what);
    }
    return newest;
}

/* True if a process of the host has checked the file since `since_ms`, and none is checking now. */
static bool was_checked(const oh_loaded *loaded, uint64_t since_ms)
{
    const oh_store *store = oh_segment_store();

    return loaded->entry == OH_STORE_NONE ||
           (oh_store_checked_ms(store, loaded->entry) >= since_ms &&
               !oh_store_is_checking(store, loaded->entry));
}

oh_snapshot *oh_source_newest(oh_snapshot *snapshot, uint64_t deadline_ns)
{
    oh_snapshot *newest = NULL;
    uint64_t began_ms = oh_clock_now_ms();
    oh_failure ignored; /* The version read before stays in use. */
    bool is_found;

    if (snapshot->known_by) {
        oh_nodes_ask(snapshot->known_by, deadline_ns);
        return oh_nodes_hold_newest(snapshot->known_by);
    }
    while (snapshot->followed) {
        const oh_loaded *loaded = snapshot->followed->loaded;

        newest = load(loaded->name, &loaded->origin, true, &ignored, &is_found);
        if (newest != snapshot || was_checked(snapshot->followed->loaded, began_ms) ||
            oh_clock_now_ns() >= deadline_ns) {
            break;
        }
        oh_snapshot_release(newest);
        newest = NULL;
        oh_wait_poll(NULL, 0, OH_CHECK_AGAIN_MS);
    }
    if (!newest) {
        snapshot->references++;
        newest = snapshot;
    }
    return newest;
}

oh_snapshot *oh_source_known(oh_snapshot *snapshot)
{
    const oh_loaded *loaded = snapshot->followed ? snapshot->followed->loaded : NULL;
    oh_failure ignored; /* The version read before stays in use. */
    oh_snapshot *known = snapshot;

    loaded = loaded ? load_file(loaded->name, &loaded->origin, false, &ignored) : NULL;
    if (loaded && oh_map_kind_of(loaded->snapshot->pool) == OH_MAP_KINDS_COUNT) {
        known = loaded->snapshot;
    }
    known->references++;
    return known;
}

oh_snapshot *oh_source_load_text(
    oh_text name, oh_text text, bool is_array, oh_failure *failure, bool *is_found)
{
    char path[sizeof "text:" + (size_t)2 * OH_MD5_DIGEST_BYTES] = "text:";
    oh_config_origin origin = {.path = path, .text = text, .is_array = is_array};
    uint8_t digest[OH_MD5_DIGEST_BYTES];
    oh_md5 md5;

    oh_md5_begin(&md5);
    oh_md5_add(&md5, oh_loaded_salt(), OH_IMAGE_SALT_BYTES);
    oh_md5_add(&md5, text.bytes, text.length);
    oh_md5_end(&md5, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(path + strlen("text:") + 2 * i, 3, "%02x", digest[i]);
    }
    return load(name, &origin, false, failure, is_found);
}

oh_snapshot *oh_source_next(uint32_t *at, oh_source_origin *origin)
{
    const oh_loaded *loaded = first;

    for (uint32_t i = 0; i < *at && loaded; i++) {
        loaded = loaded->next;
    }
    while (loaded && (!loaded->snapshot || loaded->is_moved)) {
        loaded = loaded->next;
        (*at)++;
    }
    if (!loaded) {
        return NULL;
    }
    (*at)++;
    oh_map_kind kind = oh_map_kind_of(loaded->snapshot->pool);
    const oh_nodes *nodes = kind != OH_MAP_KINDS_COUNT ? loaded->nodes[kind] : NULL;
    bool is_map = nodes && nodes->map;
    *origin = (oh_source_origin){.path = loaded->origin.path,
        .generation = is_map ? nodes->generation : loaded->generation,
        .index = is_map ? nodes->entry : loaded->entry,
        .read_at = loaded->read_at,
        .problem = loaded->problem};
    return is_map ? nodes->map : loaded->snapshot;
}
