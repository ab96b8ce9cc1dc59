/* The image of a server pool gives back its content, and every byte of it is checked before use. */
#include <stdlib.h>
#include <string.h>

#include "core/topology/topology_image.h"
#include "check.h"
#include "pools.h"
#include "vectors.h"

static const uint8_t salt[OH_IMAGE_SALT_BYTES] = "pepper and salt";

static const char text[] =
    "alpha:\n  listen: 127.0.0.1:22121\n  hash: murmur\n  hash_tag: \"{}\"\n  distribution: "
    "modula\n"
    "  redis: true\n  redis_auth: secret\n  username: me\n  database: 3\n  timeout: 400\n"
    "  pool_size: 7\n  auto_eject_hosts: true\n  server_retry_timeout: 2000\n"
    "  server_failure_limit: 3\n  servers:\n  - 10.0.0.1:6379:1 a\n  - /tmp/s.sock:2 bb\n";

static bool is_text(oh_text actual, const char *expected)
{
    return actual.bytes != NULL && strcmp(actual.bytes, expected) == 0 &&
           actual.length == strlen(expected);
}

static void check_pool(const oh_server_pool *pool)
{
    CHECK(is_text(pool->name, "alpha") && is_text(pool->username, "me") &&
          pool->redis_auth.bytes == NULL);
    CHECK(pool->hash == OH_HASH_MURMUR && pool->distribution == OH_MODULA);
    CHECK(pool->has_hash_tag && pool->hash_tag[0] == '{' && pool->hash_tag[1] == '}');
    CHECK(pool->is_redis && !pool->is_ssdb && pool->has_database && pool->database == 3 &&
          pool->redis_db == 0);
    CHECK(pool->timeout_ms == 400 && pool->pool_size == 7 && pool->auto_eject_hosts);
    CHECK(pool->server_retry_timeout_ms == 2000 && pool->server_failure_limit == 3);
    CHECK(pool->servers_count == 2 && is_text(pool->servers[0].name, "a") &&
          is_text(pool->servers[1].name, "bb"));
    CHECK(is_text(pool->servers[0].host, "10.0.0.1") && pool->servers[0].port == 6379);
    CHECK(is_text(pool->servers[1].path, "/tmp/s.sock") && pool->servers[1].weight == 2);
}

static bool contains(const uint8_t *image, size_t length, const char *what)
{
    for (size_t i = 0; i + strlen(what) <= length; i++) {
        if (memcmp(image + i, what, strlen(what)) == 0) {
            return true;
        }
    }
    return false;
}

static void test_what_went_in(const oh_server_pool *pool, const uint8_t *image, size_t size)
{
    oh_server servers[2];
    oh_server_pool read;

    test_begin("image: what went in comes out");
    CHECK(oh_image_is_valid(image, size));
    oh_image_pool(image, servers, &read);
    check_pool(&read);
    oh_topology *direct = topology_of(pool, NULL);
    CHECK(strcmp(oh_topology_fingerprint(direct),
              oh_topology_fingerprint(oh_image_topology(image))) == 0);
    free(direct);

    test_begin("image: no password, but a way to know it");
    CHECK(!contains(image, size, "secret"));
    CHECK(oh_image_has_password(image) && oh_image_is_password(image, salt, pool->redis_auth));
    CHECK(!oh_image_is_password(image, salt, (oh_text){"secreT", 6}));

    test_begin("image: the same pool gives the same bytes, another gives others");
    uint8_t *again = malloc(size);
    oh_image_write(pool, salt, again);
    CHECK(oh_image_equals(image, size, again, size));
    oh_server_pool other = *pool;
    other.timeout_ms = 401;
    oh_image_write(&other, salt, again);
    CHECK(!oh_image_equals(image, size, again, size) && !oh_image_equals(image, size, again, 8));
    free(again);
}

/* If a changed image counts as valid, every use of it must be safe: the sanitizers check that. */
static void test_changed_bytes(const uint8_t *image, size_t size)
{
    oh_server servers[2];
    oh_server_pool pool;

    test_begin("image: cut anywhere, and each byte changed");
    for (size_t length = 0; length < size; length++) {
        uint8_t *cut = malloc(length ? length : 1);
        memcpy(cut, image, length);
        oh_image_is_valid(cut, length);
        free(cut);
    }
    for (size_t i = 0; i < size; i++) {
        uint8_t *changed = malloc(size);
        memcpy(changed, image, size);
        changed[i] ^= (uint8_t)(1u << i % 8);
        if (oh_image_is_valid(changed, size) &&
            oh_topology_nodes_count(oh_image_topology(changed)) <= 2) {
            oh_image_pool(changed, servers, &pool);
            oh_topology_locate(oh_image_topology(changed), image, 20);
            size_t ring = oh_topology_size(&pool);
            oh_topology *without = malloc(ring);
            CHECK(oh_topology_build(&pool, (bool[2]){true, false}, without, ring));
            oh_topology_locate(without, image, 20);
            free(without);
        }
        free(changed);
    }
}

void test_image(void)
{
    oh_config *config = config_of(text);
    const oh_server_pool *pool = oh_config_pool(config, "alpha", 5);
    size_t size = oh_image_size(pool);
    uint8_t *image = malloc(size);

    oh_image_write(pool, salt, image);
    test_what_went_in(pool, image, size);
    test_changed_bytes(image, size);
    free(image);
    oh_config_free(config);
}
