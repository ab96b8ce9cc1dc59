/* Copies and erases the secrets of a server pool. */
#include "engine/snapshot/config_image.h"

#include <string.h>

#include "core/base/memory.h"

bool oh_secrets_copy(oh_secrets *secrets, const oh_server_pool *pool)
{
    oh_secret_texts from = oh_server_pool_secrets(pool);
    size_t length = 0;

    *secrets = (oh_secrets){0};
    for (int i = 0; i < OH_SECRETS_COUNT; i++) {
        length += from.each[i].bytes ? from.each[i].length + 1 : 0;
    }
    if (length == 0) {
        return true;
    }
    char *to = oh_memory_zeroed(length, 1);
    if (!to) {
        return false;
    }
    secrets->block = to;
    secrets->block_length = length;
    for (int i = 0; i < OH_SECRETS_COUNT; i++) {
        if (from.each[i].bytes) {
            memcpy(to, from.each[i].bytes, from.each[i].length);
            secrets->texts.each[i] = (oh_text){to, from.each[i].length};
            to += from.each[i].length + 1;
        }
    }
    return true;
}

void oh_secrets_erase(oh_secrets *secrets)
{
    if (secrets->block) {
        oh_memory_erase(secrets->block, secrets->block_length);
        oh_memory_release(secrets->block);
    }
    *secrets = (oh_secrets){0};
}
