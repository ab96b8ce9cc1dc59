/*
 * Secrets: the passwords of a server pool (oh_server_pool_secrets), which no image holds, in one
 * block of this process' memory. It is erased before it is released.
 */
#ifndef OH_ENGINE_SECRETS_H
#define OH_ENGINE_SECRETS_H

#include "core/topology/server_pool.h"

/* Begins as all zeros: no secrets. */
typedef struct oh_secrets {
    char *block; /* NULL if there are none. */
    size_t block_length;
    oh_secret_texts texts; /* They point into the block. */
} oh_secrets;

/* Copies those of the pool. The caller erases them. False if there is no memory. */
bool oh_secrets_copy(oh_secrets *secrets, const oh_server_pool *pool);
void oh_secrets_erase(oh_secrets *secrets);

#endif
