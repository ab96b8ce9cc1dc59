/*
 * A server pool is known by the absolute path of its file, the directory where that path begins, and its name. What a process
 * has of it is a snapshot of some generation; the usual call finds by one load from shared memory that it is still the
 * current one.
 */
#include "php_onehop.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/compiler.h"
#include "core/base/clock.h"
#include "core/hash/md5.h"

#include "php/exception/exception.h"
#include "engine/cluster/cluster.h"
#include "engine/shared/worker.h"
#include "engine/shared/segment.h"
#include "engine/source/source.h"
#include "engine/source/source_known.h"
#include "engine/source/source_path.h"

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
    oh_md5_add(&md5, known->name, known->name_length);
    oh_md5_end(&md5, known->identity);
}

void oh_known_adopt(oh_known *known, oh_reading *reading, uint64_t generation)
{
    oh_snapshot *before = known->snapshot;

    known->snapshot = oh_snapshot_make(reading, known->identity);
    known->generation = generation;
    if (before) {
        oh_snapshot_release(before);
    }
}

/* ---- From the store ---- */

bool oh_known_copy(const oh_known *known, oh_reading *reading, uint64_t *generation)
{
    size_t room = 1 << 14, length;

    memset(reading, 0, sizeof *reading);
    reading->image = pemalloc(room, true);
    while ((length = oh_store_copy(oh_segment_store(), known->place, reading->image, room, generation)) > room) {
        room = length + length / 4;
        reading->image = perealloc(reading->image, room, true);
    }
    reading->image_length = length;
    if (length == 0 || !oh_image_is_valid(reading->image, length)) {
        oh_reading_free(reading);
        return false;
    }
    return true;
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
        reading->password = pestrndup(before->password, before->password_length, true);
        reading->password_length = before->password_length;
        return true;
    }
    if (!oh_reading_make(&own, known->path, (oh_text){known->name, known->name_length}, oh_known_salt())) {
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
    oh_known_adopt(known, &reading, generation);
    return true;
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

        if (oh_reading_make(reading, known->path, (oh_text){known->name, known->name_length}, oh_known_salt())) {
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

static bool throw_reading(oh_reading *reading)
{
    oh_failure_throw(oh_failure_exception(&reading->failure, NULL, NULL, NULL));
    oh_reading_free(reading);
    return false;
}

/* Nothing is known yet. False and an exception. */
static bool begin(oh_known *known)
{
    oh_reading reading;

    if (oh_segment_store() && read_first(known, &reading)) {
        if (!reading.image) {
            return throw_reading(&reading);
        }
        oh_known_tell_exposed(known, reading.exposed);
        oh_known_adopt(known, &reading, 1);
        return true;
    }
    if (oh_segment_store() && known->place != OH_STORE_NONE && follow(known)) {
        return true;
    }
    known->place = OH_STORE_NONE;
    known->looked_ms = oh_clock_now_ms();
    known->version = oh_reading_version(known->path);
    if (!oh_reading_make(&reading, known->path, (oh_text){known->name, known->name_length}, oh_known_salt())) {
        return throw_reading(&reading);
    }
    if (!oh_segment_store()) {
        oh_known_tell_exposed(known, reading.exposed);
    }
    oh_known_note_reading(known, NULL);
    oh_known_adopt(known, &reading, 1);
    return true;
}

/* ---- What clients call ---- */

static void forget(zval *entry)
{
    oh_known *known = Z_PTR_P(entry);

    if (known->cluster) {
        oh_cluster_forget(known->cluster);
    }
    if (known->snapshot) {
        oh_snapshot_release(known->snapshot);
    }
    free(known->path);
    free(known->name);
    free(known->problem);
    free(known);
}

/* The entry of a server pool; made, with a snapshot, if it is new. NULL and an exception. */
static oh_known *know(const char *path, const zend_string *name)
{
    size_t path_length = strlen(path);
    zend_string *key = zend_string_concat3(path, path_length, "\0", 1, ZSTR_VAL(name), ZSTR_LEN(name));
    oh_known *known = zend_hash_find_ptr(&OHG(known), key);

    if (!known) {
        known = pecalloc(1, sizeof *known, true);
        known->path = pestrndup(path, path_length, true);
        known->name = pestrndup(ZSTR_VAL(name), ZSTR_LEN(name), true);
        known->name_length = ZSTR_LEN(name);
        known->place = OH_STORE_NONE;
        identify(known);
        zend_hash_str_add_new_ptr(&OHG(known), ZSTR_VAL(key), ZSTR_LEN(key), known);
    }
    if (OH_UNLIKELY(!known->snapshot) && !begin(known)) {
        zend_hash_del(&OHG(known), key);
        known = NULL;
    }
    zend_string_release(key);
    return known;
}

/* The configuration names the seeds of a Redis Cluster: what clients are given is its map. */
static oh_snapshot *take_map(oh_known *known)
{
    oh_failure failure;

    oh_failure_set_no_memory(&failure, OH_OUTCOME_NOT_SENT);
    if (!known->cluster) {
        known->cluster = oh_cluster_open(known->snapshot->identity, known->path);
    }
    oh_snapshot *map = known->cluster ? oh_cluster_take(known->cluster, known->snapshot, &failure) : NULL;
    if (!map) {
        oh_failure_throw(oh_failure_exception(&failure, NULL, known->snapshot->pool->name.bytes, NULL));
    }
    return map;
}

oh_snapshot *oh_source_take(zend_string *name, zend_string *path)
{
    char absolute[MAXPATHLEN];

    if (!oh_source_find_path(path, absolute)) {
        return NULL;
    }
    oh_known *known = know(absolute, name);
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
        return take_map(known);
    }
    known->snapshot->references++;
    return known->snapshot;
}

oh_snapshot *oh_source_next(uint32_t *at, oh_source_place *place)
{
    while (*at < OHG(known).nNumUsed) {
        const Bucket *bucket = &OHG(known).arData[(*at)++];
        const oh_known *known = Z_TYPE(bucket->val) == IS_UNDEF ? NULL : Z_PTR(bucket->val);

        if (known && known->snapshot && known->snapshot->pool->is_cluster && known->cluster && known->cluster->map) {
            const oh_cluster *cluster = known->cluster;

            *place = (oh_source_place){.path = known->path, .generation = cluster->generation, .index = cluster->place,
                .read_at = known->read_at, .problem = known->problem};
            return cluster->map;
        }
        if (known && known->snapshot) {
            *place = (oh_source_place){.path = known->path, .generation = known->generation, .index = known->place,
                .read_at = known->read_at, .problem = known->problem};
            return known->snapshot;
        }
    }
    return NULL;
}

void oh_source_prepare(HashTable *known)
{
    zend_hash_init(known, 4, NULL, forget, true);
}

void oh_source_shutdown(HashTable *known)
{
    zend_hash_destroy(known);
}
