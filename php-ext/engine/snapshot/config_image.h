/*
 * Config image: what a look at a configuration file gives: the image of a server pool, or a
 * failure.
 *
 * Nothing here warns or takes memory of a call, so it may be done while the lock of the segment is
 * held.
 */
#ifndef OH_ENGINE_CONFIG_IMAGE_H
#define OH_ENGINE_CONFIG_IMAGE_H

#include <sys/types.h>

#include "core/config/config.h"
#include "core/topology/topology_image.h"

#include "engine/failure/failure.h"

typedef struct oh_config_image {
    void *image; /* NULL: there is none, and `failure` says why. To be freed. */
    size_t image_length;
    char *password; /* NULL: none. To be freed, and wiped before. */
    size_t password_length;
    /* What every user of the machine may do with a file that holds a password: S_IROTH, S_IWOTH. */
    mode_t exposed;
    bool is_forbidden;  /* There is no image, since this process may not read the file. */
    bool has_no_memory; /* There is none for the image; nothing is said of the file. */
    oh_failure failure;
} oh_config_image;

/*
 * A word for the version of a file: another one if it was replaced or written to. 0 is no
 * version's; a file that is not there has one, too.
 */
uint64_t oh_config_image_version(const char *path);

/* Whether this process may not read the file; if it is gone, it might. */
bool oh_config_image_is_forbidden(const char *path);

/*
 * Reads the server pool `name` of the file `path`. The image carries a digest of the password made
 * with `salt`.
 */
bool oh_config_image_make(oh_config_image *config_image, const char *path, oh_text name,
    const uint8_t salt[OH_IMAGE_SALT_BYTES]);

void oh_config_image_free(oh_config_image *config_image);

/*
 * What is wrong with a text that is no configuration, or with a name that it has no server pool
 * for.
 */
void oh_config_image_refuse(oh_failure *failure, const char *from, const oh_config_error *error);
const oh_server_pool *oh_config_image_find(const oh_config *config, const char *name, size_t length,
    const char *from, oh_failure *failure);

#endif
