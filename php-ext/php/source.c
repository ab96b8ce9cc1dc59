/*
 * The file is known by its absolute path, and its version by device, inode, size and both times: whoever replaces it
 * by rename, or writes into it, changes one of them. It is read through one descriptor, and if it changed meanwhile,
 * once more.
 */
#include "php_onehop.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/generated/limits.h"

#include "failure.h"
#include "source.h"

typedef struct oh_version {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec modified, changed;
} oh_version;

typedef struct oh_file {
    uint32_t references;
    oh_version version;
    oh_config *config;
    oh_snapshot **snapshots; /* By index of the pool; each holds a reference of its own to this file. */
} oh_file;

static const char *const advice_file = "correct the file, or name another one";

/* ---- Reading ---- */

static oh_version version_of(const struct stat *status)
{
    return (oh_version){.device = status->st_dev,
        .inode = status->st_ino,
        .size = status->st_size,
        .modified = status->st_mtim,
        .changed = status->st_ctim};
}

static bool is_same_version(const oh_version *a, const oh_version *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified.tv_sec == b->modified.tv_sec && a->modified.tv_nsec == b->modified.tv_nsec &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

static void refuse_file(const char *path, const char *reason)
{
    oh_failure_throw_plain(OH_ERROR_CONFIG_INVALID, advice_file, "Configuration %s: %s", path, reason);
}

/* The whole of a descriptor, at most one byte more than a configuration may have. */
static ssize_t read_whole(int descriptor, char *text)
{
    size_t length = 0;

    while (length <= OH_CONFIG_BYTES_MAX) {
        ssize_t count = read(descriptor, text + length, OH_CONFIG_BYTES_MAX + 1 - length);

        if (count < 0 && errno != EINTR) {
            return -1;
        }
        if (count == 0) {
            break;
        }
        length += count > 0 ? (size_t)count : 0;
    }
    return (ssize_t)length;
}

/* Reads until the version before and after is the same, so that a half-written file is rarely met. */
static ssize_t read_file(const char *path, char *text, oh_version *version)
{
    struct stat before, after;
    ssize_t length = -1;
    int descriptor = VCWD_OPEN(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (descriptor < 0) {
        return -1;
    }
    for (int attempt = 0; attempt < 3; attempt++) {
        if (fstat(descriptor, &before) < 0 || lseek(descriptor, 0, SEEK_SET) < 0) {
            break;
        }
        if (!S_ISREG(before.st_mode)) {
            errno = S_ISDIR(before.st_mode) ? EISDIR : EINVAL;
            break;
        }
        length = read_whole(descriptor, text);
        *version = version_of(&before);
        oh_version now = fstat(descriptor, &after) == 0 ? version_of(&after) : *version;
        if (length < 0 || is_same_version(version, &now)) {
            break;
        }
    }
    int error = errno;
    close(descriptor);
    errno = error;
    return length;
}

void oh_source_refuse(const char *from, const oh_config_error *error)
{
    oh_failure_throw_plain(OH_ERROR_CONFIG_INVALID, advice_file, "%s, line %u: %s", from, (unsigned)error->line,
        error->reason);
}

static oh_file *load(const char *path)
{
    oh_config_error error;
    oh_version version = {0};
    oh_config *config = NULL;
    char *text = emalloc(OH_CONFIG_BYTES_MAX + 1);
    ssize_t length = read_file(path, text, &version);

    if (length < 0) {
        refuse_file(path, strerror(errno));
    } else if (!oh_config_parse(text, (size_t)length, &config, &error)) {
        char *from = NULL;

        spprintf(&from, 0, "Configuration %s", path);
        oh_source_refuse(from, &error);
        efree(from);
    }
    ZEND_SECURE_ZERO(text, length > 0 ? (size_t)length : 0);
    efree(text);
    if (!config) {
        return NULL;
    }
    oh_file *file = pecalloc(1, sizeof *file, true);
    file->references = 1;
    file->version = version;
    file->config = config;
    file->snapshots = pecalloc(config->pools_count, sizeof *file->snapshots, true);
    return file;
}

static void release_file(oh_file *file)
{
    if (--file->references == 0) {
        oh_config_free(file->config);
        free(file->snapshots);
        free(file);
    }
}

/* The cache lets go of a version; clients may still hold parts of it. */
static void forget_file(oh_file *file)
{
    for (size_t i = 0; i < file->config->pools_count; i++) {
        if (file->snapshots[i]) {
            oh_snapshot *snapshot = file->snapshots[i];

            file->snapshots[i] = NULL;
            oh_source_release(snapshot);
        }
    }
    release_file(file);
}

static void forget_file_zval(zval *entry)
{
    forget_file(Z_PTR_P(entry));
}

/* The current version of a file. NULL and an exception. */
static oh_file *take_file(const char *path)
{
    char absolute[MAXPATHLEN];
    struct stat status;

    if (!expand_filepath(path, absolute)) {
        refuse_file(path, "the path is too long");
        return NULL;
    }
    oh_file *file = zend_hash_str_find_ptr(&OHG(files), absolute, strlen(absolute));
    if (file && VCWD_STAT(absolute, &status) == 0) {
        oh_version version = version_of(&status);

        if (is_same_version(&file->version, &version)) {
            return file;
        }
    }
    file = load(absolute);
    if (file) {
        zend_hash_str_update_ptr(&OHG(files), absolute, strlen(absolute), file);
    }
    return file;
}

/* ---- Server pools ---- */

const oh_pool *oh_source_find_pool(const oh_config *config, const zend_string *name, const char *from)
{
    const oh_pool *pool = oh_config_pool(config, ZSTR_VAL(name), ZSTR_LEN(name));
    oh_failure failure;

    if (pool) {
        return pool;
    }
    oh_failure_set(&failure, OH_ERROR_CONFIG_INVALID, OH_OUTCOME_NOT_SENT, "name one of these",
        "There is no server pool ");
    oh_failure_quote(&failure, ZSTR_VAL(name), MIN(ZSTR_LEN(name), OH_SHOWN_BYTES_MAX));
    size_t length = strlen(failure.what);
    snprintf(failure.what + length, sizeof failure.what - length, " in %.200s, only ", from);
    for (size_t i = 0; i < config->pools_count && strlen(failure.what) < sizeof failure.what - 64; i++) {
        const oh_text *known = &config->pools[i].name;

        if (i > 0) {
            oh_failure_quote(&failure, ZEND_STRL(", "));
        }
        oh_failure_quote(&failure, known->bytes, MIN(known->length, OH_SHOWN_BYTES_MAX));
    }
    oh_failure_throw(oh_failure_exception(&failure, NULL, NULL, NULL));
    return NULL;
}

static oh_snapshot *make_snapshot(oh_file *file, const oh_pool *pool)
{
    oh_snapshot *snapshot = pecalloc(1, sizeof *snapshot, true);
    size_t size = oh_topology_size(pool);

    snapshot->references = 1;
    snapshot->file = file;
    file->references++;
    snapshot->pool = pool;
    snapshot->topology = pemalloc(size, true);
    oh_topology_build(pool, NULL, snapshot->topology, size);
    snapshot->nodes_count = oh_topology_nodes_count(snapshot->topology);
    snapshot->connections = pecalloc(snapshot->nodes_count, sizeof *snapshot->connections, true);
    return snapshot;
}

oh_snapshot *oh_source_take(zend_string *name, zend_string *path)
{
    const char *from = path ? ZSTR_VAL(path) : OHG(config);

    if (!from || !*from) {
        oh_failure_throw_plain(OH_ERROR_CONFIG_INVALID, "set onehop.config in php.ini or name a file",
            "There is no configuration");
        return NULL;
    }
    if (php_check_open_basedir_ex(from, 0) < 0) {
        refuse_file(from, "open_basedir does not allow it");
        return NULL;
    }
    oh_file *file = take_file(from);
    const oh_pool *pool = file ? oh_source_find_pool(file->config, name, from) : NULL;
    if (!pool) {
        return NULL;
    }
    oh_snapshot **place = &file->snapshots[pool - file->config->pools];
    if (!*place) {
        *place = make_snapshot(file, pool);
    }
    (*place)->references++;
    return *place;
}

void oh_source_release(oh_snapshot *snapshot)
{
    if (--snapshot->references > 0) {
        return;
    }
    for (uint32_t i = 0; i < snapshot->nodes_count; i++) {
        if (snapshot->connections[i]) {
            oh_pool_release(snapshot->connections[i]);
        }
    }
    free(snapshot->connections);
    free(snapshot->topology);
    release_file(snapshot->file);
    free(snapshot);
}

oh_connections *oh_source_connections(oh_snapshot *snapshot, uint32_t node)
{
    if (!snapshot->connections[node]) {
        snapshot->connections[node] = oh_pool_open(snapshot->pool, &snapshot->pool->servers[node]);
    }
    return snapshot->connections[node];
}

void oh_source_prepare(HashTable *files)
{
    zend_hash_init(files, 4, NULL, forget_file_zval, true);
}

void oh_source_shutdown(HashTable *files)
{
    zend_hash_destroy(files);
}
