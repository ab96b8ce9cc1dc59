/*
 * Found once per snapshot and node; from then on counting is an addition in memory.
 */
#include "php_onehop.h"

#include "core/hash/md5.h"

#include "meter.h"
#include "segment.h"

static void identify(const uint8_t *pool, const oh_text *node, uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    oh_md5 md5;

    oh_md5_begin(&md5);
    oh_md5_add(&md5, pool, OH_STORE_IDENTITY_BYTES);
    oh_md5_add(&md5, node->bytes, node->length);
    oh_md5_end(&md5, identity);
}

const oh_store_meter *oh_metered_find(const uint8_t pool[OH_STORE_IDENTITY_BYTES], const oh_text *node)
{
    const oh_store *store = oh_segment_store();
    uint8_t identity[OH_STORE_IDENTITY_BYTES];

    identify(pool, node, identity);
    return store ? oh_store_meter_at(store, oh_store_find_meter(store, identity)) : NULL;
}

static oh_store_meter *find_or_add(const uint8_t *pool, const oh_text *node)
{
    oh_store *store = oh_segment_store();
    uint8_t identity[OH_STORE_IDENTITY_BYTES];

    if (!store) {
        return NULL;
    }
    identify(pool, node, identity);
    uint32_t number = oh_store_find_meter(store, identity);
    if (number == OH_STORE_NONE && oh_segment_lock()) {
        number = oh_store_add_meter(store, identity);
        oh_segment_unlock();
    }
    return oh_store_meter_at(store, number);
}

void oh_metered_open(oh_metered *metered, const uint8_t pool[OH_STORE_IDENTITY_BYTES], const oh_text *node)
{
    metered->shared = find_or_add(pool, node);
    metered->meter = metered->shared ? &metered->shared->meter : pecalloc(1, sizeof *metered->meter, true);
}

void oh_metered_close(oh_metered *metered)
{
    if (!metered->shared) {
        free(metered->meter);
    }
}
