/*
 * MD5 (RFC 1321): for the points of a ketama ring, the `md5` hash and the fingerprint of a
 * topology. It is not used for secrecy, but because nutcracker and libmemcached use it.
 */
#ifndef OH_HASH_MD5_H
#define OH_HASH_MD5_H

#include <stddef.h>
#include <stdint.h>

#define OH_MD5_BLOCK_BYTES 64
#define OH_MD5_DIGEST_BYTES 16

/* A digest in the making: begin, add in pieces of any size, end. */
typedef struct oh_md5 {
    uint32_t state[4];
    uint64_t length;
    uint8_t block[OH_MD5_BLOCK_BYTES];
} oh_md5;

void oh_md5_begin(oh_md5 *md5);
void oh_md5_add(oh_md5 *md5, const void *bytes, size_t length);
void oh_md5_end(oh_md5 *md5, uint8_t digest[OH_MD5_DIGEST_BYTES]);

/* The digest of these bytes, in one step. */
void oh_md5_digest(const void *bytes, size_t length, uint8_t digest[OH_MD5_DIGEST_BYTES]);

#endif
