/*
 * Reads a configuration file and makes an image of one of its pools. The file with the password, if
 * there is one, is a part of the configuration. A file is read through one descriptor, and is read
 * again if it changed meanwhile. So a half-written file is rarely read, and even then is hardly
 * ever a valid configuration.
 */
#include "engine/snapshot/config_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/generated/limits.h"
#include "core/hash/md5.h"

#include "engine/base/environment.h"

/*
 * Error number for something that can be opened but is not a file. No other error here has this
 * number.
 */
#define NO_FILE ENOTBLK

/* ---- Versions ---- */

static uint64_t number_of(const void *bytes, size_t length)
{
    uint8_t digest[OH_MD5_DIGEST_BYTES];
    uint64_t number;

    oh_md5_digest(bytes, length, digest);
    memcpy(&number, digest, sizeof number);
    return number ? number : 1;
}

static uint64_t version_of(const struct stat *status)
{
    uint64_t fields[] = {(uint64_t)status->st_dev, (uint64_t)status->st_ino,
        (uint64_t)status->st_size, (uint64_t)status->st_mtim.tv_sec,
        (uint64_t)status->st_mtim.tv_nsec, (uint64_t)status->st_ctim.tv_sec,
        (uint64_t)status->st_ctim.tv_nsec};

    return number_of(fields, sizeof fields);
}

static uint64_t version_at(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? version_of(&status) : (uint64_t)errno;
}

/* The path of the password file; NULL if there is none. */
static const char *password_file_of(const void *image)
{
    return image ? oh_image_password_file(image).bytes : NULL;
}

static uint64_t with_password_file(uint64_t version, const char *path)
{
    return version * 31 + version_at(path);
}

uint64_t oh_config_image_version(const oh_config_origin *origin, const void *image)
{
    uint64_t version = origin->text.bytes ? 1 : version_at(origin->path);
    const char *password_file = password_file_of(image);

    return password_file ? with_password_file(version, password_file) : version;
}

static bool is_forbidden(const char *path)
{
    return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0 && errno == EACCES;
}

bool oh_config_image_is_forbidden(const oh_config_origin *origin, const void *image)
{
    const char *password_file = password_file_of(image);

    return (!origin->text.bytes && is_forbidden(origin->path)) ||
           (password_file && is_forbidden(password_file));
}

/* ---- Bytes ---- */

/* Reads a file to its end, or until it is one byte longer than allowed. */
static ssize_t read_whole(int descriptor, char *text, size_t most)
{
    size_t length = 0;

    while (length <= most) {
        ssize_t count = read(descriptor, text + length, most + 1 - length);

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

static ssize_t read_descriptor(int descriptor, char *text, size_t most, mode_t *mode)
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
        length = read_whole(descriptor, text, most);
        if (length < 0 || fstat(descriptor, &after) < 0 ||
            version_of(&before) == version_of(&after)) {
            break;
        }
    }
    *mode = before.st_mode;
    return length;
}

static ssize_t read_file(const char *path, char *text, size_t most, mode_t *mode)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (descriptor < 0) {
        return -1;
    }
    ssize_t length = read_descriptor(descriptor, text, most, mode);
    int error = errno;
    close(descriptor);
    errno = error;
    return length;
}

/* ---- Failures ---- */

static void refuse_file(oh_failure *failure, const char *path, const char *reason)
{
    oh_quoted shown;

    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_FILE_UNREADABLE,
        oh_quote_path(&shown, path, strlen(path)), reason);
}

void oh_config_image_refuse(oh_failure *failure, const char *from, const oh_config_errors *errors)
{
    char reasons[OH_FAILURE_TEXT_BYTES - sizeof(oh_quoted) -
                 sizeof "Configuration , line 4294967295: "];

    oh_config_tell(errors, reasons, sizeof reasons);
    if (errors->has_no_lines) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_ARRAY_REFUSED, from, reasons);
        return;
    }
    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_FILE_REFUSED, from,
        (unsigned)errors->list[0].line, reasons);
}

static void tell_missing(
    const oh_config *config, const char *name, size_t length, const char *from, oh_failure *failure)
{
    oh_quoted shown, file;

    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_NO_SERVER_POOL,
        oh_quote_path(&shown, name, OH_MIN(length, OH_SHOWN_BYTES_MAX)),
        oh_quote(&file, from, strlen(from)), "");
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

/* ---- The image ---- */

static void refuse_without_memory(oh_config_image *config_image)
{
    oh_config_image_free(config_image);
    config_image->has_no_memory = true;
    oh_failure_set_no_memory(&config_image->failure, OH_OUTCOME_NOT_SENT);
}

/* Returns NULL if the text is not a configuration; the config image says why. */
static oh_config *parse(
    oh_config_image *config_image, const oh_config_origin *origin, oh_text name, oh_text text)
{
    oh_config_errors errors;
    oh_config *config = NULL;
    char from[sizeof(oh_quoted) + 16];
    oh_quoted shown;

    if (oh_config_parse(text.bytes, text.length, getenv, &config, &errors)) {
        return config;
    }
    if (errors.is_out_of_memory) {
        refuse_without_memory(config_image);
        return NULL;
    }
    config_image->is_of_process = errors.has_variables;
    errors.has_no_lines = origin->is_array;
    if (origin->is_array) {
        snprintf(from, sizeof from, "%s", oh_quote(&shown, name.bytes, name.length));
    } else if (origin->text.bytes) {
        snprintf(from, sizeof from, "Configuration");
    } else {
        snprintf(from, sizeof from, "Configuration %s",
            oh_quote(&shown, origin->path, strlen(origin->path)));
    }
    oh_config_image_refuse(&config_image->failure, from, &errors);
    return NULL;
}

static void keep(
    oh_config_image *config_image, const oh_server_pool *pool, const uint8_t *salt, mode_t mode)
{
    oh_server_pool with_digest = *pool;

    config_image->image_length = oh_image_size(pool);
    config_image->image = oh_memory_allocate(config_image->image_length);
    config_image->exposed.config = pool->is_password_in_text ? mode & (S_IROTH | S_IWOTH) : 0;
    if (!config_image->image || !oh_secrets_copy(&config_image->secrets, pool)) {
        refuse_without_memory(config_image);
        return;
    }
    oh_image_digest_variables(pool->variables, salt, getenv, with_digest.variables_digest);
    oh_image_write(&with_digest, salt, config_image->image);
}

/* ---- The password file ---- */

static void refuse_password_file(
    oh_config_image *config_image, const oh_server_pool *pool, const char *reason)
{
    oh_text path = pool->redis_auth_file;
    oh_quoted shown;

    oh_failure_set(&config_image->failure, OH_OUTCOME_NOT_SENT, OH_SAY_PASSWORD_FILE,
        oh_quote(&shown, path.bytes, path.length), reason);
}

/* Makes the image with the password of the file, if it has one. */
static void keep_with_password(
    oh_config_image *config_image, const oh_server_pool *pool, const uint8_t *salt, mode_t mode)
{
    char content[OH_PASSWORD_FILE_BYTES_MAX + 1];
    oh_server_pool complete = *pool;
    oh_password_reason reason;
    mode_t password_mode;

    if (!oh_surroundings.may_read(pool->redis_auth_file.bytes)) {
        config_image->is_of_process = true;
        refuse_password_file(config_image, pool, OH_REASON_BASEDIR);
        return;
    }
    config_image->version = with_password_file(config_image->version, pool->redis_auth_file.bytes);
    ssize_t length =
        read_file(pool->redis_auth_file.bytes, content, OH_PASSWORD_FILE_BYTES_MAX, &password_mode);
    if (length < 0) {
        config_image->is_of_process = errno == EACCES;
        refuse_password_file(
            config_image, pool, errno == NO_FILE ? OH_REASON_NOT_A_FILE : strerror(errno));
        return;
    }
    if (oh_config_take_password(
            (oh_text){content, (size_t)length}, &complete.redis_auth, &reason)) {
        keep(config_image, &complete, salt, mode);
        config_image->exposed.password_file = password_mode & (S_IROTH | S_IWOTH);
    } else {
        refuse_password_file(config_image, pool, reason.text);
    }
    oh_memory_erase(content, (size_t)length);
}

static void read_text(oh_config_image *config_image, const oh_config_origin *origin, oh_text text,
    oh_text name, const uint8_t *salt, mode_t mode)
{
    oh_config *config = parse(config_image, origin, name, text);
    const oh_server_pool *pool =
        config
            ? oh_config_image_find(config, name.bytes, name.length,
                  origin->text.bytes ? "the configuration" : origin->path, &config_image->failure)
            : NULL;

    if (pool && pool->redis_auth_file.bytes) {
        keep_with_password(config_image, pool, salt, mode);
    } else if (pool) {
        keep(config_image, pool, salt, mode);
    }
    oh_config_free(config);
}

static void read_pool(oh_config_image *config_image, const oh_config_origin *origin, oh_text name,
    const uint8_t *salt)
{
    char *text = oh_memory_allocate(OH_CONFIG_BYTES_MAX + 1);
    mode_t mode;

    if (!text) {
        refuse_without_memory(config_image);
        return;
    }
    ssize_t length = read_file(origin->path, text, OH_CONFIG_BYTES_MAX, &mode);
    if (length < 0) {
        config_image->is_of_process = errno == EACCES;
        refuse_file(&config_image->failure, origin->path,
            errno == NO_FILE ? OH_REASON_NOT_A_FILE : strerror(errno));
    } else {
        read_text(config_image, origin, (oh_text){text, (size_t)length}, name, salt, mode);
        oh_memory_erase(text, (size_t)length);
    }
    oh_memory_release(text);
}

bool oh_config_image_make(oh_config_image *config_image, const oh_config_origin *origin,
    oh_text name, const uint8_t salt[OH_IMAGE_SALT_BYTES])
{
    memset(config_image, 0, sizeof *config_image);
    /*
     * The version is taken before anything is read, so a change during the read makes another
     * version.
     */
    config_image->version = oh_config_image_version(origin, NULL);
    if (origin->text.bytes) {
        read_text(config_image, origin, origin->text, name, salt, 0);
    } else {
        read_pool(config_image, origin, name, salt);
    }
    if (!config_image->image) {
        config_image->version =
            number_of(config_image->failure.what, strlen(config_image->failure.what));
    }
    return config_image->image != NULL;
}

bool oh_config_image_is_mine(const void *image, const uint8_t salt[OH_IMAGE_SALT_BYTES],
    uint8_t digest[OH_IMAGE_DIGEST_BYTES])
{
    oh_image_digest_variables(oh_image_variables(image), salt, getenv, digest);
    return memcmp(digest, oh_image_variables_digest(image), OH_IMAGE_DIGEST_BYTES) == 0;
}

void oh_config_image_free(oh_config_image *config_image)
{
    oh_memory_release(config_image->image);
    oh_secrets_erase(&config_image->secrets);
    memset(config_image, 0, sizeof *config_image);
}
