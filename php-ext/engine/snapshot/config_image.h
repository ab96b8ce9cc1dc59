/*
 * Config image: the result of reading a configuration file, which is the image of a server pool, or
 * a failure.
 *
 * No function here warns or takes memory of a call, so the caller may hold the lock of the segment.
 */
#ifndef OH_ENGINE_CONFIG_IMAGE_H
#define OH_ENGINE_CONFIG_IMAGE_H

#include <sys/types.h>

#include "core/config/config.h"
#include "core/topology/topology_image.h"

#include "engine/failure/failure.h"

typedef struct oh_config_image {
    void *image; /* NULL if there is none; then `failure` says why. The caller frees it. */
    size_t image_length;
    char *password; /* NULL if there is none. The caller erases and frees it. */
    size_t password_length;
    /* What any user of the machine may do with a file that has a password: S_IROTH, S_IWOTH. */
    mode_t exposed;
    bool is_forbidden;  /* There is no image, because this process may not read the file. */
    bool has_no_memory; /* There was no memory for the image; the file may be good. */
    oh_failure failure;
} oh_config_image;

/*
 * A number for the version of a file, which changes if the file is replaced or written to. It is
 * never 0. A missing file has a version, too.
 */
uint64_t oh_config_image_version(const char *path);

/* True if this process may not read the file. False if the file is missing. */
bool oh_config_image_is_forbidden(const char *path);

/*
 * Reads the server pool `name` of the file `path`. The image has a digest of the password with
 * `salt`.
 */
bool oh_config_image_make(oh_config_image *config_image, const char *path, oh_text name,
    const uint8_t salt[OH_IMAGE_SALT_BYTES]);

void oh_config_image_free(oh_config_image *config_image);

/*
 * Fills the failure for a text that is no configuration, or that has no server pool of that name.
 */
void oh_config_image_refuse(oh_failure *failure, const char *from, const oh_config_error *error);
const oh_server_pool *oh_config_image_find(const oh_config *config, const char *name, size_t length,
    const char *from, oh_failure *failure);

#endif
