/*
 * Config image: the result of reading a configuration. It is the image of a server pool, or a
 * failure.
 *
 * No function here warns or takes memory of a call, so the caller may hold the lock of the segment.
 */
#ifndef OH_ENGINE_CONFIG_IMAGE_H
#define OH_ENGINE_CONFIG_IMAGE_H

#include <sys/types.h>

#include "core/config/config.h"
#include "core/topology/server_pool.h"
#include "core/topology/topology_image.h"

#include "engine/failure/failure.h"

/* Where a configuration comes from: a file, or a text that the program has. */
typedef struct oh_config_origin {
    const char *path; /* Absolute. For a text: a name that shows nothing of its content. */
    oh_text text;     /* Absent if it is a file. */
    /* The text was made of an array or a DSN, so its line numbers mean nothing. */
    bool is_array;
} oh_config_origin;

/* The rights of all users to files with a password: S_IROTH, S_IWOTH. */
typedef struct oh_exposed {
    mode_t config; /* Rights to the configuration, if a secret is in it. */
    mode_t password_file;
} oh_exposed;

/*
 * Secrets: the passwords of a server pool (oh_server_pool_secrets), which no image holds, in one
 * block of this process' memory. It is erased before it is released. All zeros: no secrets.
 */
typedef struct oh_secrets {
    char *block; /* NULL if there are none. */
    size_t block_length;
    oh_secret_texts texts; /* They point into the block. */
} oh_secrets;

/* Copies the secrets of the pool. The caller erases them. False if there is no memory. */
bool oh_secrets_copy(oh_secrets *secrets, const oh_server_pool *pool);
void oh_secrets_erase(oh_secrets *secrets);

typedef struct oh_config_image {
    void *image; /* NULL if there is none; then `failure` says why. The caller frees it. */
    size_t image_length;
    oh_secrets secrets;
    oh_exposed exposed;
    /* There is no image, but a process with other rights or variables may make one. */
    bool is_of_process;
    bool has_no_memory; /* There was no memory for the image; the file may be good. */
    /*
     * The version that the files had before the image was made from them. Without an image, a
     * number for the failure: it differs from every version, so the files are read again at each
     * check.
     */
    uint64_t version;
    oh_failure failure;
} oh_config_image;

/*
 * A number for the version of a file, which changes if the file is replaced or written to. It is
 * never 0. Even a missing file has a version. A text always has the same version. If the image
 * names a password file, the version also depends on that file. `image` may be NULL.
 */
uint64_t oh_config_image_version(const oh_config_origin *origin, const void *image);

/*
 * True if this process has no right to read the file, or the password file. A missing file does not
 * count.
 */
bool oh_config_image_is_forbidden(const oh_config_origin *origin, const void *image);

/* Reads the server pool `name`. The image contains a digest of the secrets with `salt`. */
bool oh_config_image_make(oh_config_image *config_image, const oh_config_origin *origin,
    oh_text name, const uint8_t salt[OH_IMAGE_SALT_BYTES]);

/*
 * True if the environment variables that the image uses have the same values in this process. Sets
 * `digest` to that of this process in both cases.
 */
bool oh_config_image_is_mine(const void *image, const uint8_t salt[OH_IMAGE_SALT_BYTES],
    uint8_t digest[OH_IMAGE_DIGEST_BYTES]);

void oh_config_image_free(oh_config_image *config_image);

/*
 * Fill the failure for a text that is not a configuration, or has no server pool with the name.
 * oh_config_image_refuse copies `from` unchanged: the caller must already have quoted bytes from
 * outside.
 */
void oh_config_image_refuse(oh_failure *failure, const char *from, const oh_config_errors *errors);
const oh_server_pool *oh_config_image_find(const oh_config *config, const char *name, size_t length,
    const char *from, oh_failure *failure);

#endif
