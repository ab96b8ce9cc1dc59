/*
 * The server pools that a thread has loaded. The first time a pool comes from the store or the
 * file. Later one load from shared memory shows if the snapshot is still current.
 */
#include "engine/source/source.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"

#include "engine/cluster/cluster.h"
#include "engine/shared/segment.h"
#include "engine/source/source_internal.h"

/* A list in the order in which they were loaded. It is short. */
static OH_PER_THREAD oh_loaded *first;

/* ---- From the store ---- */

/*
 * The password is not in the store: it is the one that this process has already, or it is read from
 * the file.
 */
static bool find_password(const oh_loaded *loaded, oh_config_image *config_image)
{
    const oh_snapshot *before = loaded->snapshot;
    oh_config_image own;

    if (!oh_image_has_password(config_image->image)) {
        return true;
    }
    if (before && before->password &&
        oh_image_is_password(config_image->image, oh_loaded_salt(), before->own_pool.redis_auth)) {
        config_image->password = oh_memory_copy(before->password, before->password_length);
        config_image->password_length = before->password_length;
        return config_image->password != NULL;
    }
    if (!oh_config_image_make(&own, loaded->path, loaded->name, oh_loaded_salt())) {
        oh_config_image_free(&own);
        return false;
    }
    /* If the file is newer than the published image, the file is used. */
    oh_config_image_free(config_image);
    *config_image = own;
    return true;
}

static bool follow(oh_loaded *loaded)
{
    oh_config_image config_image;
    uint64_t generation;

    if (!oh_watch_is_allowed(loaded) || !oh_loaded_copy(loaded, &config_image, &generation)) {
        return false;
    }
    if (!find_password(loaded, &config_image)) {
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
 * The first process of the host reads, under the lock; all others wait for it and find the
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
        uint64_t version = oh_config_image_version(loaded->path);

        if (oh_config_image_make(config_image, loaded->path, loaded->name, oh_loaded_salt())) {
            loaded->entry = oh_store_add(oh_segment_store(), loaded->identity, loaded->path);
            if (loaded->entry != OH_STORE_NONE && oh_loaded_publish(loaded, config_image) == 0) {
                /* It does not fit: each process goes on without the store. */
                loaded->entry = OH_STORE_NONE;
            }
            oh_loaded_note_read(loaded, NULL);
        }
        oh_watch_begin_look(loaded);
        oh_watch_note_version(loaded, version);
    }
    oh_segment_unlock();
    return is_mine;
}

static bool fail(oh_config_image *config_image, oh_failure *failure)
{
    *failure = config_image->failure;
    oh_config_image_free(config_image);
    return false;
}

static bool adopt_first(oh_loaded *loaded, oh_config_image *config_image, oh_failure *failure)
{
    if (oh_loaded_adopt(loaded, config_image, 1)) {
        return true;
    }
    oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
    return false;
}

/* Loads the pool for the first time. False and a failure if that fails. */
static bool begin(oh_loaded *loaded, oh_failure *failure)
{
    oh_config_image config_image;

    if (oh_segment_store() && read_first(loaded, &config_image)) {
        if (!config_image.image) {
            return fail(&config_image, failure);
        }
        oh_watch_warn_exposed(loaded, config_image.exposed);
        return adopt_first(loaded, &config_image, failure);
    }
    if (oh_segment_store() && loaded->entry != OH_STORE_NONE && follow(loaded)) {
        return true;
    }
    loaded->entry = OH_STORE_NONE;
    loaded->looked_ms = oh_clock_now_ms();
    loaded->version = oh_config_image_version(loaded->path);
    if (!oh_config_image_make(&config_image, loaded->path, loaded->name, oh_loaded_salt())) {
        return fail(&config_image, failure);
    }
    if (!oh_segment_store()) {
        oh_watch_warn_exposed(loaded, config_image.exposed);
    }
    oh_loaded_note_read(loaded, NULL);
    return adopt_first(loaded, &config_image, failure);
}

/* ---- The list ---- */

static bool is_of(const oh_loaded *loaded, oh_text name, const char *path)
{
    return oh_text_is_same(loaded->name, name) && strcmp(loaded->path, path) == 0;
}

/* Its place in the list, or the end of the list. */
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
static oh_loaded *know(oh_text name, const char *path, oh_failure *failure)
{
    oh_loaded **place = find(name, path);

    if (!*place && !(*place = oh_loaded_new(name, path))) {
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
        return NULL;
    }
    oh_loaded *loaded = *place;
    if (OH_UNLIKELY(!loaded->snapshot) && !begin(loaded, failure)) {
        drop(find(name, path));
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

/* The configuration names the seeds of a Redis Cluster. Clients get the map of that cluster. */
static oh_snapshot *take_map(oh_loaded *loaded, oh_failure *failure)
{
    if (!loaded->cluster) {
        loaded->cluster = oh_cluster_open(loaded->snapshot->identity, loaded->path);
    }
    if (!loaded->cluster) {
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
        return NULL;
    }
    return oh_cluster_discover(loaded->cluster, loaded->snapshot, failure);
}

oh_snapshot *oh_source_load(oh_text name, const char *path, oh_failure *failure, bool *is_found)
{
    oh_loaded *loaded = know(name, path, failure);

    *is_found = loaded != NULL;
    if (!loaded) {
        return NULL;
    }
    oh_snapshot *snapshot = loaded->snapshot;
    snapshot->references++;
    if (loaded->entry != OH_STORE_NONE &&
        OH_UNLIKELY(oh_store_generation(oh_segment_store(), loaded->entry) != loaded->generation)) {
        follow(loaded);
    }
    if (OH_UNLIKELY(oh_watch_begin_look(loaded))) {
        /* A warning may call the program, which may call this function again. */
        oh_watch_look(loaded);
    }
    oh_snapshot_release(snapshot);
    if (loaded->snapshot->pool->is_cluster) {
        return take_map(loaded, failure);
    }
    loaded->snapshot->references++;
    return loaded->snapshot;
}

oh_snapshot *oh_source_next(uint32_t *at, oh_source_origin *origin)
{
    const oh_loaded *loaded = first;

    for (uint32_t i = 0; i < *at && loaded; i++) {
        loaded = loaded->next;
    }
    while (loaded && !loaded->snapshot) {
        loaded = loaded->next;
        (*at)++;
    }
    if (!loaded) {
        return NULL;
    }
    (*at)++;
    const oh_cluster *cluster = loaded->snapshot->pool->is_cluster ? loaded->cluster : NULL;
    bool is_map = cluster && cluster->map;
    *origin = (oh_source_origin){.path = loaded->path,
        .generation = is_map ? cluster->generation : loaded->generation,
        .index = is_map ? cluster->entry : loaded->entry,
        .read_at = loaded->read_at,
        .problem = loaded->problem};
    return is_map ? cluster->map : loaded->snapshot;
}
