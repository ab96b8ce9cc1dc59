/*
 * Reads a configuration file and makes an image of one of its pools. A file is read through one
 * descriptor, and again if it changed meanwhile. So a half-written file is rarely read, and is
 * hardly ever a valid configuration.
 */
#include "engine/snapshot/config_image.h"

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

/* For something that opens but is no file; no other error here has this number. */
#define NO_FILE ENOTBLK

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

uint64_t oh_config_image_version(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? version_of(&status) : (uint64_t)errno;
}

bool oh_config_image_is_forbidden(const char *path)
{
    return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0 && errno == EACCES;
}

/* ---- Bytes ---- */

/* Reads a whole file, at most one byte more than a configuration may have. */
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
    char shown[301];

    snprintf(shown, sizeof shown, "%s", path);
    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_FILE_UNREADABLE, shown, reason);
}

void oh_config_image_refuse(oh_failure *failure, const char *from, const oh_config_error *error)
{
    char shown[321];

    snprintf(shown, sizeof shown, "%s", from);
    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_FILE_REFUSED, shown, (unsigned)error->line,
        error->reason);
}

static void tell_missing(
    const oh_config *config, const char *name, size_t length, const char *from, oh_failure *failure)
{
    oh_quoted shown;
    char file[201];

    snprintf(file, sizeof file, "%s", from);
    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_NO_SERVER_POOL,
        oh_quote(&shown, name, OH_MIN(length, OH_SHOWN_BYTES_MAX)), file, "");
    for (size_t i = 0; i < config->pools_count && strlen(failure->what) < sizeof failure->what - 64;
        i++) {
        const oh_text *known = &config->pools[i].name;

        if (i > 0) {
            oh_failure_append(failure, ", ");
        }
        oh_failure_show(failure, known->bytes, known->length);
    }
}

const oh_server_pool *oh_config_image_find(
    const oh_config *config, const char *name, size_t length, const char *from, oh_failure *failure)
{
    const oh_server_pool *pool = oh_config_pool(config, name, length);

    if (!pool) {
        tell_missing(config, name, length, from, failure);
    }
    return pool;
}

/* ---- The whole ---- */

static void refuse_without_memory(oh_config_image *config_image)
{
    oh_config_image_free(config_image);
    config_image->has_no_memory = true;
    oh_failure_set_no_memory(&config_image->failure, OH_OUTCOME_NOT_SENT);
}

/* NULL if there is none; then the config image says why. */
static oh_config *parse(
    oh_config_image *config_image, const char *path, const char *text, size_t length)
{
    oh_config_error error;
    oh_config *config = NULL;
    char from[320];

    if (oh_config_parse(text, length, &config, &error)) {
        return config;
    }
    if (error.is_out_of_memory) {
        refuse_without_memory(config_image);
        return NULL;
    }
    snprintf(from, sizeof from, "Configuration %s", path);
    oh_config_image_refuse(&config_image->failure, from, &error);
    return NULL;
}

static void keep(
    oh_config_image *config_image, const oh_server_pool *pool, const uint8_t *salt, mode_t mode)
{
    bool has_password = pool->redis_auth.bytes != NULL;

    config_image->image_length = oh_image_size(pool);
    config_image->image = oh_memory_allocate(config_image->image_length);
    if (has_password) {
        config_image->password = oh_memory_copy(pool->redis_auth.bytes, pool->redis_auth.length);
        config_image->password_length = pool->redis_auth.length;
        config_image->exposed = mode & (S_IROTH | S_IWOTH);
    }
    if (!config_image->image || (has_password && !config_image->password)) {
        refuse_without_memory(config_image);
        return;
    }
    oh_image_write(pool, salt, config_image->image);
}

static void read_pool(
    oh_config_image *config_image, char *text, const char *path, oh_text name, const uint8_t *salt)
{
    mode_t mode;
    ssize_t length = read_file(path, text, &mode);

    if (length < 0) {
        config_image->is_forbidden = errno == EACCES;
        refuse_file(&config_image->failure, path,
            errno == NO_FILE ? "it is a FIFO, a device or a socket, and not a file"
                             : strerror(errno));
        return;
    }
    oh_config *config = parse(config_image, path, text, (size_t)length);
    oh_memory_erase(text, (size_t)length);
    const oh_server_pool *pool =
        config ? oh_config_image_find(config, name.bytes, name.length, path, &config_image->failure)
               : NULL;
    if (pool) {
        keep(config_image, pool, salt, mode);
    }
    oh_config_free(config);
}

bool oh_config_image_make(oh_config_image *config_image, const char *path, oh_text name,
    const uint8_t salt[OH_IMAGE_SALT_BYTES])
{
    char *text = oh_memory_allocate(OH_CONFIG_BYTES_MAX + 1);

    memset(config_image, 0, sizeof *config_image);
    if (text) {
        read_pool(config_image, text, path, name, salt);
        oh_memory_release(text);
    } else {
        refuse_without_memory(config_image);
    }
    return config_image->image != NULL;
}

void oh_config_image_free(oh_config_image *config_image)
{
    oh_memory_release(config_image->image);
    if (config_image->password) {
        oh_memory_erase(config_image->password, config_image->password_length);
        oh_memory_release(config_image->password);
    }
    memset(config_image, 0, sizeof *config_image);
}
