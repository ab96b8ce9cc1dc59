/*
 * Image: a whole server pool in one block of bytes, for the store of a host. It has every directive
 * that a client needs, followed by the topology. One process reads the file and builds the ring;
 * all others copy the image.
 *
 *     +---------------------------+-----------------------------+----------+
 *     | header: the directives    | name, user, zone, with NULs | topology |
 *     +---------------------------+-----------------------------+----------+
 *
 * It holds no password, only a digest of it with the store's salt. With the digest a process checks
 * that the password it has read itself is the same.
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

/* Writes it into memory of that size, aligned for uint64_t. */
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
 * The pool inside, but for the password. Its texts point into the image; `servers` has room for as
 * many as the topology has nodes.
 */
void oh_image_pool(const void *image, oh_server *servers, oh_server_pool *pool);

/* If the pool signs in with a password, and if it is this one. */
bool oh_image_has_password(const void *image);
bool oh_image_is_password(
    const void *image, const uint8_t salt[OH_IMAGE_SALT_BYTES], oh_text password);

/* True if two images have the same content. */
bool oh_image_equals(const void *a, size_t a_length, const void *b, size_t b_length);

#endif
