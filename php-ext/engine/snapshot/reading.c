/*
 * A file is read through one descriptor, and again if it changed meanwhile: a half-written one is rarely met, and
 * hardly ever a configuration.
 */
#include "php_onehop.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/generated/limits.h"
#include "core/hash/md5.h"

#include "engine/snapshot/reading.h"

#define NO_FILE ENOTBLK /* What is opened, but is no file: no other error here has this number. */

static const char *const advice_file = "correct the file, or name another one";

/* ---- Versions ---- */

static uint64_t version_of(const struct stat *status)
{
    uint64_t fields[] = {(uint64_t)status->st_dev, (uint64_t)status->st_ino, (uint64_t)status->st_size,
        (uint64_t)status->st_mtim.tv_sec, (uint64_t)status->st_mtim.tv_nsec, (uint64_t)status->st_ctim.tv_sec,
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
        if (length < 0 || fstat(descriptor, &after) < 0 || version_of(&before) == version_of(&after)) {
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
    oh_failure_set(failure, OH_ERROR_CONFIG_INVALID, OH_OUTCOME_NOT_SENT, advice_file, "Configuration %.300s: %s", path,
        reason);
}

void oh_reading_refuse(oh_failure *failure, const char *from, const oh_config_error *error)
{
    oh_failure_set(failure, OH_ERROR_CONFIG_INVALID, OH_OUTCOME_NOT_SENT, advice_file, "%.320s, line %u: %s", from,
        (unsigned)error->line, error->reason);
}

static void tell_missing(const oh_config *config, const char *name, size_t length, const char *from,
    oh_failure *failure)
{
    oh_failure_set(failure, OH_ERROR_CONFIG_INVALID, OH_OUTCOME_NOT_SENT, "name one of these",
        "There is no server pool ");
    oh_failure_quote(failure, name, OH_MIN(length, OH_SHOWN_BYTES_MAX));
    size_t end = strlen(failure->what);
    snprintf(failure->what + end, sizeof failure->what - end, " in %.200s, only ", from);
    for (size_t i = 0; i < config->pools_count && strlen(failure->what) < sizeof failure->what - 64; i++) {
        const oh_text *known = &config->pools[i].name;

        if (i > 0) {
            oh_failure_quote(failure, ZEND_STRL(", "));
        }
        oh_failure_quote(failure, known->bytes, OH_MIN(known->length, OH_SHOWN_BYTES_MAX));
    }
}

const oh_pool *oh_reading_find(const oh_config *config, const char *name, size_t length, const char *from,
    oh_failure *failure)
{
    const oh_pool *pool = oh_config_pool(config, name, length);

    if (!pool) {
        tell_missing(config, name, length, from, failure);
    }
    return pool;
}

/* ---- The whole ---- */

static oh_config *parse(const char *path, const char *text, size_t length, oh_failure *failure)
{
    oh_config_error error;
    oh_config *config = NULL;
    char from[320];

    if (!oh_config_parse(text, length, &config, &error)) {
        snprintf(from, sizeof from, "Configuration %s", path);
        oh_reading_refuse(failure, from, &error);
    }
    return config;
}

static void keep(oh_reading *reading, const oh_pool *pool, const uint8_t *salt, mode_t mode)
{
    reading->image_length = oh_image_size(pool);
    reading->image = pemalloc(reading->image_length, true);
    oh_image_write(pool, salt, reading->image);
    if (pool->redis_auth.bytes) {
        reading->password = pestrndup(pool->redis_auth.bytes, pool->redis_auth.length, true);
        reading->password_length = pool->redis_auth.length;
        reading->exposed = mode & (S_IROTH | S_IWOTH);
    }
}

bool oh_reading_make(oh_reading *reading, const char *path, const char *name, size_t name_length,
    const uint8_t salt[OH_IMAGE_SALT_BYTES])
{
    char *text = pemalloc(OH_CONFIG_BYTES_MAX + 1, true);
    mode_t mode;
    ssize_t length = read_file(path, text, &mode);
    int error = errno;
    oh_config *config = NULL;

    memset(reading, 0, sizeof *reading);
    if (length < 0) {
        reading->is_forbidden = error == EACCES;
        refuse_file(&reading->failure, path,
            error == NO_FILE ? "it is a FIFO, a device or a socket, and not a file" : strerror(error));
    } else {
        config = parse(path, text, (size_t)length, &reading->failure);
        oh_memory_erase(text, (size_t)length);
    }
    free(text);
    const oh_pool *pool = config ? oh_reading_find(config, name, name_length, path, &reading->failure) : NULL;
    if (pool) {
        keep(reading, pool, salt, mode);
    }
    oh_config_free(config);
    return reading->image != NULL;
}

void oh_reading_free(oh_reading *reading)
{
    free(reading->image);
    if (reading->password) {
        oh_memory_erase(reading->password, reading->password_length);
        free(reading->password);
    }
    memset(reading, 0, sizeof *reading);
}
