/*
 * One server pool in this process: its identity (the absolute path of its file, the directory where
 * that path begins, and its name), a snapshot of some generation, and its entry in the store of the
 * host.
 *
 * A file may use environment variables. The first process that reads it publishes its image under
 * this identity. A process whose variables say something else goes on under an identity that also
 * contains their digest.
 */
#include "engine/source/source_internal.h"

#include <string.h>
#include <sys/stat.h>

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/hash/md5.h"

#include "engine/base/random.h"
#include "engine/shared/segment.h"

/* ---- Making and freeing ---- */

/*
 * Computes the identity. It includes the root directory: each pool of php-fpm may have a root of
 * its own (chroot), under which the same path is another file.
 */
static void identify(const oh_loaded *loaded, const uint8_t *variables_digest,
    uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    struct stat root = {.st_dev = 0};
    oh_md5 md5;

    stat("/", &root);
    uint64_t fields[] = {(uint64_t)root.st_dev, (uint64_t)root.st_ino};
    oh_md5_begin(&md5);
    oh_md5_add(&md5, fields, sizeof fields);
    oh_md5_add(&md5, loaded->origin.path, strlen(loaded->origin.path) + 1);
    oh_md5_add(&md5, loaded->name.bytes, loaded->name.length);
    if (variables_digest) {
        oh_md5_add(&md5, "", 1);
        oh_md5_add(&md5, variables_digest, OH_IMAGE_DIGEST_BYTES);
    }
    oh_md5_end(&md5, identity);
}

void oh_loaded_be_foreign(
    oh_loaded *loaded, const uint8_t digest[OH_IMAGE_DIGEST_BYTES], uint64_t generation)
{
    loaded->foreign = generation;
    identify(loaded, digest, loaded->other_identity);
}

void oh_loaded_become_other(oh_loaded *loaded, const oh_loaded *like)
{
    memcpy(loaded->identity, like->other_identity, sizeof loaded->identity);
    loaded->entry = OH_STORE_NONE;
    loaded->foreign = 0;
}

static bool keep(oh_loaded *loaded, oh_text name, const oh_config_origin *origin)
{
    oh_text text = origin->text;
    loaded->origin.is_array = origin->is_array;

    loaded->origin.path = oh_memory_copy(origin->path, strlen(origin->path));
    loaded->name = (oh_text){oh_memory_copy(name.bytes, name.length), name.length};
    if (text.bytes) {
        loaded->origin.text = (oh_text){oh_memory_copy(text.bytes, text.length), text.length};
    }
    return loaded->origin.path && loaded->name.bytes && (!text.bytes || loaded->origin.text.bytes);
}

oh_loaded *oh_loaded_new(oh_text name, const oh_config_origin *origin)
{
    oh_loaded *loaded = oh_memory_zeroed(1, sizeof *loaded);

    if (!loaded) {
        return NULL;
    }
    loaded->entry = OH_STORE_NONE;
    loaded->followed.loaded = loaded->outdated.loaded = loaded;
    if (!keep(loaded, name, origin)) {
        oh_loaded_forget(loaded);
        return NULL;
    }
    identify(loaded, NULL, loaded->identity);
    return loaded;
}

void oh_loaded_forget(oh_loaded *loaded)
{
    for (int kind = 0; kind < OH_MAP_KINDS_COUNT; kind++) {
        if (loaded->nodes[kind]) {
            oh_nodes_forget(loaded->nodes[kind]);
        }
    }
    if (loaded->snapshot) {
        oh_snapshot_release(loaded->snapshot);
    }
    oh_memory_release((char *)loaded->origin.path);
    if (loaded->origin.text.bytes) {
        oh_memory_erase((char *)loaded->origin.text.bytes, loaded->origin.text.length);
        oh_memory_release((char *)loaded->origin.text.bytes);
    }
    oh_memory_release((char *)loaded->name.bytes);
    oh_memory_release(loaded->problem);
    oh_memory_release(loaded->read_counts.turns);
    oh_memory_release(loaded);
}

bool oh_loaded_adopt(oh_loaded *loaded, oh_config_image *config_image, uint64_t generation)
{
    oh_snapshot *before = loaded->snapshot,
                *snapshot = oh_snapshot_make(config_image, loaded->identity);

    if (!snapshot) {
        return false;
    }
    bool may_change = !loaded->origin.text.bytes || snapshot->pool->redis_auth_file.bytes;
    snapshot->followed = may_change ? &loaded->followed : NULL;
    snapshot->read_counts = &loaded->read_counts;
    /* Existing clients follow with their next call. */
    loaded->outdated.due_ns = 0;
    if (before && before->followed) {
        before->followed = &loaded->outdated;
    }
    for (int kind = 0; kind < OH_MAP_KINDS_COUNT; kind++) {
        const oh_nodes *nodes = loaded->nodes[kind];

        if (nodes && nodes->map && nodes->map->followed) {
            nodes->map->followed = &loaded->outdated;
        }
    }
    loaded->snapshot = snapshot;
    loaded->generation = generation;
    loaded->refused_ms = 0;
    if (before) {
        oh_snapshot_release(before);
    }
    return true;
}

/* ---- In the store ---- */

static const uint8_t *own_salt(void)
{
    static OH_PER_THREAD uint32_t salt[OH_IMAGE_SALT_BYTES / sizeof(uint32_t)];
    static OH_PER_THREAD bool is_drawn;

    for (size_t i = 0; !is_drawn && i < sizeof salt / sizeof *salt; i++) {
        salt[i] = oh_random_below(UINT32_MAX);
    }
    is_drawn = true;
    return (const uint8_t *)salt;
}

const uint8_t *oh_loaded_salt(void)
{
    const oh_store *store = oh_segment_store();

    return store ? oh_store_salt(store) : own_salt();
}

bool oh_loaded_copy(const oh_loaded *loaded, oh_config_image *config_image, uint64_t *generation)
{
    oh_image_copy copy = oh_segment_copy(loaded->entry);

    *config_image = (oh_config_image){.image = copy.image, .image_length = copy.length};
    *generation = copy.generation;
    return config_image->image != NULL;
}

uint64_t oh_loaded_publish(const oh_loaded *loaded, const oh_config_image *config_image)
{
    return oh_store_publish(
               oh_segment_store(), loaded->entry, config_image->image, config_image->image_length)
               ? oh_store_generation(oh_segment_store(), loaded->entry)
               : 0;
}

void oh_loaded_note_read(oh_loaded *loaded, const char *problem)
{
    uint64_t read_at = oh_clock_unix_s() * 2 + (problem != NULL);

    if (loaded->entry == OH_STORE_NONE) {
        oh_memory_release(loaded->problem);
        loaded->problem = problem ? oh_memory_copy(problem, strlen(problem)) : NULL;
        loaded->read_at = read_at;
        return;
    }
    if (problem) {
        oh_store_write_text(
            oh_store_problem(oh_segment_store(), loaded->entry), OH_STORE_PROBLEM_WORDS, problem);
    }
    atomic_store(oh_store_read_at(oh_segment_store(), loaded->entry), read_at);
}
