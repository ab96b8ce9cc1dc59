/*
 * A file is read through one descriptor, and again if it changed meanwhile: a half-written one is
 * rarely met, and hardly ever a configuration.
 */
#include "engine/snapshot/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/generated/limits.h"
#include "core/hash/md5.h"

#define NO_FILE ENOTBLK /* What is opened, but is no file: no other error here has this number. */

static const char *const advice_file = "correct the file, or name another one";

/* ---- Versions ---- */

static uint64_t version_of(const struct stat *status)
{
    uint64_t fields[] = {(uint64_t)status->st_dev, (uint64_t)status->st_ino,
        (uint64_t)status->st_size, (uint64_t)status->st_mtim.tv_sec,
        (uint64_t)status->st_mtim.tv_nsec, (uint64_t)status->st_ctim.tv_sec,
        (uint64_t)status->st_ctim.tv_nsec};
    uint8_t digest[OH_MD5_DIGEST_BYTES];
    uint64_t version;

    oh_md5_digest(fields, sizeof fields, digest);
    memcpy(&version, digest, sizeof version);
    return version ? version : 1;
}

uint64_t oh_reading_version(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? version_of(&status) : (uint64_t)errno;
}

bool oh_reading_is_forbidden(const char *path)
{
    return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0 && errno == EACCES;
}

/* ---- Bytes ---- */

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

static ssize_t read_descriptor(int descriptor, char *text, mode_t *mode)
{
    struct stat before, after;
    ssize_t length = -1;

    for (int attempt = 0; attempt < 3; attempt++) {
        if (fstat(descriptor, &before) < 0) {
            return -1;
        }
        if (!S_ISREG(before.st_mode)) {
            errno = S_ISDIR(before.st_mode) ? EISDIR : NO_FILE;
            return -1;
        }
        if (lseek(descriptor, 0, SEEK_SET) < 0) {
            return -1;
        }
        length = read_whole(descriptor, text);
        if (length < 0 || fstat(descriptor, &after) < 0 ||
            version_of(&before) == version_of(&after)) {
            break;
        }
    }
    *mode = before.st_mode;
    return length;
}

static ssize_t read_file(const char *path, char *text, mode_t *mode)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (descriptor < 0) {
        return -1;
    }
    ssize_t length = read_descriptor(descriptor, text, mode);
    int error = errno;
    close(descriptor);
    errno = error;
    return length;
}

/* ---- Failures ---- */

static void refuse_file(oh_failure *failure, const char *path, const char *reason)
{
    oh_failure_set(failure, OH_ERROR_CONFIG_INVALID, OH_OUTCOME_NOT_SENT, advice_file,
        "Configuration %.300s: %s", path, reason);
}

void oh_reading_refuse(oh_failure *failure, const char *from, const oh_config_error *error)
{
    oh_failure_set(failure, OH_ERROR_CONFIG_INVALID, OH_OUTCOME_NOT_SENT, advice_file,
        "%.320s, line %u: %s", from, (unsigned)error->line, error->reason);
}

static void tell_missing(
    const oh_config *config, const char *name, size_t length, const char *from, oh_failure *failure)
{
    oh_failure_set(failure, OH_ERROR_CONFIG_INVALID, OH_OUTCOME_NOT_SENT, "name one of these",
        "There is no server pool ");
    oh_failure_show(failure, name, length);
    size_t end = strlen(failure->what);
    snprintf(failure->what + end, sizeof failure->what - end, " in %.200s, only ", from);
    for (size_t i = 0; i < config->pools_count && strlen(failure->what) < sizeof failure->what - 64;
        i++) {
        const oh_text *known = &config->pools[i].name;

        if (i > 0) {
            oh_failure_append(failure, ", ");
        }
        oh_failure_show(failure, known->bytes, known->length);
    }
}

const oh_server_pool *oh_reading_find(
    const oh_config *config, const char *name, size_t length, const char *from, oh_failure *failure)
{
    const oh_server_pool *pool = oh_config_pool(config, name, length);

    if (!pool) {
        tell_missing(config, name, length, from, failure);
    }
    return pool;
}

/* ---- The whole ---- */

static void refuse_without_memory(oh_reading *reading)
{
    oh_reading_free(reading);
    reading->has_no_memory = true;
    oh_failure_set_no_memory(&reading->failure, OH_OUTCOME_NOT_SENT);
}

/* NULL: there is none, and the reading says why. */
static oh_config *parse(oh_reading *reading, const char *path, const char *text, size_t length)
{
    oh_config_error error;
    oh_config *config = NULL;
    char from[320];

    if (oh_config_parse(text, length, &config, &error)) {
        return config;
    }
    if (error.is_out_of_memory) {
        refuse_without_memory(reading);
        return NULL;
    }
    snprintf(from, sizeof from, "Configuration %s", path);
    oh_reading_refuse(&reading->failure, from, &error);
    return NULL;
}

static void keep(oh_reading *reading, const oh_server_pool *pool, const uint8_t *salt, mode_t mode)
{
    bool has_password = pool->redis_auth.bytes != NULL;

    reading->image_length = oh_image_size(pool);
    reading->image = oh_memory_allocate(reading->image_length);
    if (has_password) {
        reading->password = oh_memory_copy(pool->redis_auth.bytes, pool->redis_auth.length);
        reading->password_length = pool->redis_auth.length;
        reading->exposed = mode & (S_IROTH | S_IWOTH);
    }
    if (!reading->image || (has_password && !reading->password)) {
        refuse_without_memory(reading);
        return;
    }
    oh_image_write(pool, salt, reading->image);
}

static void read_pool(
    oh_reading *reading, char *text, const char *path, oh_text name, const uint8_t *salt)
{
    mode_t mode;
    ssize_t length = read_file(path, text, &mode);

    if (length < 0) {
        reading->is_forbidden = errno == EACCES;
        refuse_file(&reading->failure, path,
            errno == NO_FILE ? "it is a FIFO, a device or a socket, and not a file"
                             : strerror(errno));
        return;
    }
    oh_config *config = parse(reading, path, text, (size_t)length);
    oh_memory_erase(text, (size_t)length);
    const oh_server_pool *pool =
        config ? oh_reading_find(config, name.bytes, name.length, path, &reading->failure) : NULL;
    if (pool) {
        keep(reading, pool, salt, mode);
    }
    oh_config_free(config);
}

bool oh_reading_make(
    oh_reading *reading, const char *path, oh_text name, const uint8_t salt[OH_IMAGE_SALT_BYTES])
{
    char *text = oh_memory_allocate(OH_CONFIG_BYTES_MAX + 1);

    memset(reading, 0, sizeof *reading);
    if (text) {
        read_pool(reading, text, path, name, salt);
        oh_memory_release(text);
    } else {
        refuse_without_memory(reading);
    }
    return reading->image != NULL;
}

void oh_reading_free(oh_reading *reading)
{
    oh_memory_release(reading->image);
    if (reading->password) {
        oh_memory_erase(reading->password, reading->password_length);
        oh_memory_release(reading->password);
    }
    memset(reading, 0, sizeof *reading);
}
