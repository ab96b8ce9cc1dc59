/*
 * A server pool is known by the absolute path of its file, the directory where that path begins, and its name. What a process
 * has of it is a snapshot of some generation; the usual call finds by one load from shared memory that it is still the
 * current one.
 */
#include "engine/source/source.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/hash/md5.h"

#include "engine/cluster/cluster.h"
#include "engine/shared/worker.h"
#include "engine/shared/segment.h"
#include "engine/source/source_known.h"

/* The server pools that this thread knows, in the order in which it met them: a few. */
static OH_PER_THREAD oh_known **all;
static OH_PER_THREAD uint32_t all_count, all_capacity;

const uint8_t *oh_known_salt(void)
{
    static const uint8_t none[OH_IMAGE_SALT_BYTES];
    const oh_store *store = oh_segment_store();

    return store ? oh_store_salt(store) : none;
}

/* Pools of a php-fpm may be locked into directories of their own: a path means something else in each. */
static void identify(oh_known *known)
{
    struct stat root = {.st_dev = 0};
    oh_md5 md5;

    stat("/", &root);
    uint64_t fields[] = {(uint64_t)root.st_dev, (uint64_t)root.st_ino};
    oh_md5_begin(&md5);
    oh_md5_add(&md5, fields, sizeof fields);
    oh_md5_add(&md5, known->path, strlen(known->path) + 1);
    oh_md5_add(&md5, known->name.bytes, known->name.length);
    oh_md5_end(&md5, known->identity);
}

bool oh_known_adopt(oh_known *known, oh_reading *reading, uint64_t generation)
{
    oh_snapshot *before = known->snapshot, *snapshot = oh_snapshot_make(reading, known->identity);

    if (!snapshot) {
        return false;
    }
    known->snapshot = snapshot;
    known->generation = generation;
    if (before) {
        oh_snapshot_release(before);
    }
    return true;
}

/* ---- From the store ---- */

bool oh_known_copy(const oh_known *known, oh_reading *reading, uint64_t *generation)
{
    memset(reading, 0, sizeof *reading);
    reading->image = oh_reading_copy(known->place, &reading->image_length, generation);
    return reading->image != NULL;
}

/* The password is not in the store: it is the one this process has already, or it is read. */
static bool find_password(const oh_known *known, oh_reading *reading)
{
    const oh_snapshot *before = known->snapshot;
    oh_reading own;

    if (!oh_image_has_password(reading->image)) {
        return true;
    }
    if (before && before->password && oh_image_is_password(reading->image, oh_known_salt(), before->own_pool.redis_auth)) {
        reading->password = oh_memory_copy(before->password, before->password_length);
        reading->password_length = before->password_length;
        return reading->password != NULL;
    }
    if (!oh_reading_make(&own, known->path, known->name, oh_known_salt())) {
        oh_reading_free(&own);
        return false;
    }
    /* Should the file be newer than what is published, then it is better, too. */
    oh_reading_free(reading);
    *reading = own;
    return true;
}

static bool follow(oh_known *known)
{
    oh_reading reading;
    uint64_t generation;

    if (!oh_known_is_allowed(known) || !oh_known_copy(known, &reading, &generation)) {
        return false;
    }
    if (!find_password(known, &reading)) {
        oh_reading_free(&reading);
        return false;
    }
    return oh_known_adopt(known, &reading, generation);
}

/* ---- From the file ---- */

static bool begin_look(oh_known *known)
{
    uint64_t now = oh_clock_now_ms();

    if (OH_UNLIKELY(known->refused_ms) && now < known->refused_ms + OH_LOOK_EVERY_MS) {
        return false;
    }
    if (known->place != OH_STORE_NONE) {
        return oh_store_begin_look(oh_segment_store(), known->place, (uint32_t)getpid(), now, OH_LOOK_EVERY_MS,
            oh_worker_is_alive);
    }
    if (now < known->looked_ms + OH_LOOK_EVERY_MS) {
        return false;
    }
    known->looked_ms = now;
    return true;
}

static bool is_published(oh_known *known)
{
    known->place = oh_store_find(oh_segment_store(), known->identity);
    return known->place != OH_STORE_NONE && oh_store_generation(oh_segment_store(), known->place) > 0;
}

/*
 * The first of the host reads, under the lock; all others wait for it, and find it published. Only what could be read is
 * given a place: there are not enough of them for every name that is misspelt.
 */
static bool read_first(oh_known *known, oh_reading *reading)
{
    memset(reading, 0, sizeof *reading);
    if (is_published(known) || !oh_segment_lock()) {
        return false;
    }
    bool is_mine = !is_published(known);
    if (is_mine) {
        uint64_t version = oh_reading_version(known->path);

        if (oh_reading_make(reading, known->path, known->name, oh_known_salt())) {
            known->place = oh_store_add(oh_segment_store(), known->identity, known->path);
            if (known->place != OH_STORE_NONE && oh_known_publish(known, reading) == 0) {
                known->place = OH_STORE_NONE; /* It does not fit: every process goes its own way. */
            }
            oh_known_note_reading(known, NULL);
        }
        begin_look(known);
        oh_known_note_version(known, version);
    }
    oh_segment_unlock();
    return is_mine;
}

static bool fail(oh_reading *reading, oh_failure *failure)
{
    *failure = reading->failure;
    oh_reading_free(reading);
    return false;
}

static bool adopt_first(oh_known *known, oh_reading *reading, oh_failure *failure)
{
    if (oh_known_adopt(known, reading, 1)) {
        return true;
    }
    oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
    return false;
}

/* Nothing is known yet. False and a failure. */
static bool begin(oh_known *known, oh_failure *failure)
{
    oh_reading reading;

    if (oh_segment_store() && read_first(known, &reading)) {
        if (!reading.image) {
            return fail(&reading, failure);
        }
        oh_known_tell_exposed(known, reading.exposed);
        return adopt_first(known, &reading, failure);
    }
    if (oh_segment_store() && known->place != OH_STORE_NONE && follow(known)) {
        return true;
    }
    known->place = OH_STORE_NONE;
    known->looked_ms = oh_clock_now_ms();
    known->version = oh_reading_version(known->path);
    if (!oh_reading_make(&reading, known->path, known->name, oh_known_salt())) {
        return fail(&reading, failure);
    }
    if (!oh_segment_store()) {
        oh_known_tell_exposed(known, reading.exposed);
    }
    oh_known_note_reading(known, NULL);
    return adopt_first(known, &reading, failure);
}

/* ---- The list ---- */

static bool is_of(const oh_known *known, oh_text name, const char *path)
{
    return known->name.length == name.length && memcmp(known->name.bytes, name.bytes, name.length) == 0 &&
           strcmp(known->path, path) == 0;
}

/* The place of a server pool in the list; all_count: it is not there. */
static uint32_t find(oh_text name, const char *path)
{
    uint32_t at = 0;

    while (at < all_count && !is_of(all[at], name, path)) {
        at++;
    }
    return at;
}

static void forget(oh_known *known)
{
    if (known->cluster) {
        oh_cluster_forget(known->cluster);
    }
    if (known->snapshot) {
        oh_snapshot_release(known->snapshot);
    }
    oh_memory_release(known->path);
    oh_memory_release((char *)known->name.bytes);
    oh_memory_release(known->problem);
    oh_memory_release(known);
}

static bool make_room(void)
{
    uint32_t capacity = all_capacity ? all_capacity * 2 : 4;
    oh_known **larger = all_count < all_capacity ? all : oh_memory_zeroed(capacity, sizeof *larger);

    if (larger && larger != all) {
        memcpy(larger, all, all_count * sizeof *larger);
        oh_memory_release(all);
        all = larger;
        all_capacity = capacity;
    }
    return larger != NULL;
}

/* NULL: there is no memory. */
static oh_known *add(oh_text name, const char *path)
{
    oh_known *known = make_room() ? oh_memory_zeroed(1, sizeof *known) : NULL;

    if (!known) {
        return NULL;
    }
    known->path = oh_memory_copy(path, strlen(path));
    known->name = (oh_text){oh_memory_copy(name.bytes, name.length), name.length};
    known->place = OH_STORE_NONE;
    if (!known->path || !known->name.bytes) {
        forget(known);
        return NULL;
    }
    identify(known);
    return all[all_count++] = known;
}

static void drop(uint32_t at)
{
    oh_known *known = all[at];

    memmove(&all[at], &all[at + 1], (--all_count - at) * sizeof(oh_known *));
    forget(known);
}

/* The entry of a server pool; made, with a snapshot, if it is new. NULL and a failure. */
static oh_known *know(oh_text name, const char *path, oh_failure *failure)
{
    uint32_t at = find(name, path);
    oh_known *known = at < all_count ? all[at] : add(name, path);

    if (!known) {
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
        return NULL;
    }
    if (OH_UNLIKELY(!known->snapshot) && !begin(known, failure)) {
        drop(find(name, path));
        return NULL;
    }
    return known;
}

void oh_source_shutdown(void)
{
    while (all_count > 0) {
        drop(all_count - 1);
    }
    oh_memory_release(all);
    all = NULL;
    all_capacity = 0;
}

/* ---- What clients call ---- */

/* The configuration names the seeds of a Redis Cluster: what clients are given is its map. */
static oh_snapshot *take_map(oh_known *known, oh_failure *failure)
{
    if (!known->cluster) {
        known->cluster = oh_cluster_open(known->snapshot->identity, known->path);
    }
    if (!known->cluster) {
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
        return NULL;
    }
    return oh_cluster_take(known->cluster, known->snapshot, failure);
}

oh_snapshot *oh_source_take(oh_text name, const char *path, oh_failure *failure, bool *is_found)
{
    oh_known *known = know(name, path, failure);

    *is_found = known != NULL;
    if (!known) {
        return NULL;
    }
    oh_snapshot *snapshot = known->snapshot;
    snapshot->references++;
    if (known->place != OH_STORE_NONE &&
        OH_UNLIKELY(oh_store_generation(oh_segment_store(), known->place) != known->generation)) {
        follow(known);
    }
    if (OH_UNLIKELY(begin_look(known))) {
        oh_known_look_again(known); /* A warning may call the script, and that may come here again. */
    }
    oh_snapshot_release(snapshot);
    if (known->snapshot->pool->is_cluster) {
        return take_map(known, failure);
    }
    known->snapshot->references++;
    return known->snapshot;
}

oh_snapshot *oh_source_next(uint32_t *at, oh_source_place *place)
{
    while (*at < all_count) {
        const oh_known *known = all[(*at)++];
        const oh_cluster *cluster = known->cluster && known->cluster->map ? known->cluster : NULL;

        if (known->snapshot) {
            bool is_map = known->snapshot->pool->is_cluster && cluster;

            *place = (oh_source_place){.path = known->path,
                .generation = is_map ? cluster->generation : known->generation,
                .index = is_map ? cluster->place : known->place,
                .read_at = known->read_at,
                .problem = known->problem};
            return is_map ? cluster->map : known->snapshot;
        }
    }
    return NULL;
}
