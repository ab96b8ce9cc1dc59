/*
 * Image: a whole server pool in one block of bytes, for the store of a host. It has every directive
 * that a client needs, followed by the topology. One process reads the file and builds the ring;
 * all others copy the image.
 *
 *     +------------------------+------------------------------------+----------+
 *     | header: the directives | their texts, each with a NUL       | topology |
 *     +------------------------+------------------------------------+----------+
 *
 * It holds no secret (oh_server_pool_secrets), only a digest of all of them with the store's salt.
 * With the digest a process checks that the secrets it has read itself are the same. It also holds
 * a digest of the environment variables that the file uses: a process whose variables say something
 * else must not use the image.
 *
 * Implements spec/topology/segment.md.
 */
#ifndef OH_TOPOLOGY_IMAGE_H
#define OH_TOPOLOGY_IMAGE_H

#include "core/topology/topology.h"

#define OH_IMAGE_SALT_BYTES 16
#define OH_IMAGE_DIGEST_BYTES 16

/* Bytes that the image of this pool needs. */
size_t oh_image_size(const oh_server_pool *pool);

/* Writes the image into memory of that size, aligned for uint64_t. */
void oh_image_write(
    const oh_server_pool *pool, const uint8_t salt[OH_IMAGE_SALT_BYTES], void *memory);

/*
 * True if `length` bytes, aligned for uint64_t, are an image that is safe for the functions below.
 * Reads all of it.
 */
bool oh_image_is_valid(const void *image, size_t length);

/* The topology inside. */
const oh_topology *oh_image_topology(const void *image);

/*
 * Reads the pool from the image, without its secrets. Its texts point into the image; `servers`
 * has room for as many as the topology has nodes.
 */
void oh_image_pool(const void *image, oh_server *servers, oh_server_pool *pool);

/* has_secrets: true if the pool has one. is_of_secrets: true if it has those of this pool. */
bool oh_image_has_secrets(const void *image);
bool oh_image_is_of_secrets(
    const void *image, const uint8_t salt[OH_IMAGE_SALT_BYTES], const oh_server_pool *pool);

/* The path of the password file; absent if there is none. It is absolute. */
oh_text oh_image_password_file(const void *image);

/* The digest of what these variables say, for `variables_digest` of a pool. */
void oh_image_digest_variables(oh_text variables, const uint8_t salt[OH_IMAGE_SALT_BYTES],
    oh_variable variable, uint8_t digest[OH_IMAGE_DIGEST_BYTES]);

/* The names of the variables, and the digest of what they said when the image was made. */
oh_text oh_image_variables(const void *image);
const uint8_t *oh_image_variables_digest(const void *image);

/* True if two images have the same content. */
bool oh_image_equals(const void *a, size_t a_length, const void *b, size_t b_length);

#endif
