/* The image of a server pool gives back its content, and every byte of it is checked before use. */
#include <stdlib.h>
#include <string.h>

#include "core/topology/topology_image.h"
#include "check.h"
#include "vectors.h"

/* More than the nodes and texts of two servers need, and more than any ring needs. */
#define NODES_BYTES 400
#define RING_BYTES_MAX ((size_t)64 << 20)

static const uint8_t salt[OH_IMAGE_SALT_BYTES] = "pepper and salt";

static const char text[] =
    "alpha:\n  listen: 127.0.0.1:22121\n  hash: murmur\n  hash_tag: \"{}\"\n  distribution: "
    "modula\n"
    "  redis: true\n  redis_auth_file: /run/file\n  username: me\n  database: 3\n"
    "  timeout: 400\n  pool_size: 7\n  max_connection_age: 45000\n  auto_eject_hosts: true\n  "
    "server_retry_timeout: 2000\n"
    "  server_failure_limit: 3\n  tls: true\n  tls_ca_cert_file: /etc/ca.pem\n"
    "  tls_cert_file: /etc/me.pem\n  tls_key_file: /etc/me.key\n  tls_key_file_pass: unlock\n"
    "  tls_server_name: redis.example\n  tls_verify: ca\n"
    "  servers:\n  - 10.0.0.1:6379:1 a\n  - 10.0.0.2:6380:2 bb\n";

static bool same_text(oh_text a, oh_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length + 1) == 0);
}

static bool is_text(oh_text actual, const char *expected)
{
    return same_text(actual, (oh_text){expected, strlen(expected)});
}

/* All that matters of the pool, except its secrets. */
static void check_pool(const oh_server_pool *pool, const oh_server_pool *written)
{
    CHECK(is_text(pool->name, "alpha") && same_text(pool->zone.hosts, written->zone.hosts));
#define X(constant, member) CHECK(same_text(pool->member, written->member));
    OH_SHARED_TEXTS(X)
#undef X
#define X(name, member, type, most) CHECK(pool->member == written->member);
    OH_SHARED_VALUES(X)
#undef X
#define X(member) CHECK(pool->member.bytes == NULL);
    OH_SECRETS(X)
#undef X
    CHECK(pool->hash_tag[0] == '{' && pool->hash_tag[1] == '}');
    CHECK(pool->servers_count == 2 && is_text(pool->servers[0].name, "a") &&
          is_text(pool->servers[1].name, "bb"));
    CHECK(is_text(pool->servers[0].host, "10.0.0.1") && pool->servers[0].port == 6379);
    CHECK(is_text(pool->servers[1].host, "10.0.0.2") && pool->servers[1].weight == 2);
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

    test_begin("image: reading returns the pool that was written");
    CHECK(oh_image_is_valid(image, size));
    oh_image_pool(image, servers, &read);
    check_pool(&read, pool);
    oh_topology *direct = topology_of(pool, NULL);
    CHECK(strcmp(oh_topology_fingerprint(direct),
              oh_topology_fingerprint(oh_image_topology(image))) == 0);
    free(direct);

    test_begin("image: contains no secrets, but can verify them");
    CHECK(!contains(image, size, "secret") && !contains(image, size, "unlock"));
    CHECK(oh_image_has_secrets(image) && oh_image_is_of_secrets(image, salt, pool));
    oh_server_pool guess = *pool;
    guess.redis_auth = (oh_text){"secreT", 6};
    CHECK(!oh_image_is_of_secrets(image, salt, &guess));
    guess = *pool;
    guess.tls.key_file_pass = (oh_text){NULL, 0};
    CHECK(!oh_image_is_of_secrets(image, salt, &guess));

    test_begin("image: the same pool gives the same bytes, another pool gives different ones");
    uint8_t *again = malloc(size);
    oh_image_write(pool, salt, again);
    CHECK(oh_image_equals(image, size, again, size));
    oh_server_pool other = *pool;
    other.timeout_ms = 401;
    oh_image_write(&other, salt, again);
    CHECK(!oh_image_equals(image, size, again, size) && !oh_image_equals(image, size, again, 8));
    free(again);
}

static char *one_variable(const char *name)
{
    static char said[] = "said";
    return strcmp(name, "ONE") == 0 ? said : NULL;
}

static char *both_variables(const char *name)
{
    static char other[] = "other";
    return strcmp(name, "TWO") == 0 ? other : one_variable(name);
}

static void test_variables(const oh_server_pool *without)
{
    oh_server_pool pool = *without;
    uint8_t digest[OH_IMAGE_DIGEST_BYTES];

    test_begin("image: names of variables, and a digest of their values");
    pool.variables = (oh_text){"ONE TWO", 7};
    oh_image_digest_variables(pool.variables, salt, one_variable, pool.variables_digest);
    uint8_t *image = malloc(oh_image_size(&pool));
    oh_image_write(&pool, salt, image);
    CHECK(oh_image_is_valid(image, oh_image_size(&pool)));
    CHECK(is_text(oh_image_variables(image), "ONE TWO") && !contains(image, 400, "said"));
    oh_image_digest_variables(oh_image_variables(image), salt, one_variable, digest);
    CHECK(memcmp(digest, oh_image_variables_digest(image), sizeof digest) == 0);
    oh_image_digest_variables(oh_image_variables(image), salt, both_variables, digest);
    CHECK(memcmp(digest, oh_image_variables_digest(image), sizeof digest) != 0);
    oh_server servers[2];
    oh_server_pool read;
    oh_image_pool(image, servers, &read);
    CHECK(is_text(read.variables, "ONE TWO") &&
          memcmp(read.variables_digest, pool.variables_digest, sizeof digest) == 0);
    free(image);
}

/* If a changed image counts as valid, every use of it must be safe: the sanitizers check that. */
static void use_changed(const uint8_t *image, const uint8_t *changed, size_t size)
{
    oh_server servers[2];
    oh_server_pool pool;
    if (!oh_image_is_valid(changed, size) ||
        oh_topology_nodes_count(oh_image_topology(changed)) > 2) {
        return;
    }
    oh_image_pool(changed, servers, &pool);
    oh_topology_locate(oh_image_topology(changed), image, 20);
    size_t ring = oh_topology_size(&pool);
    CHECK(ring <= RING_BYTES_MAX);
    if (ring > RING_BYTES_MAX) {
        return;
    }
    oh_topology *without = malloc(ring);
    CHECK(oh_topology_build(&pool, (bool[2]){true, false}, without, ring));
    oh_topology_locate(without, image, 20);
    free(without);
}

static void test_changed_bytes(const uint8_t *image, size_t size)
{
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
        use_changed(image, changed, size);
        free(changed);
    }
}

/* The nodes are at the end of an image. Every bit of them is changed. */
static void test_changed_nodes(const char *distribution, const char *servers)
{
    char pool[400];
    snprintf(pool, sizeof pool, "alpha:\n  engine: redis\n  distribution: %s\n  servers:\n%s",
        distribution, servers);
    oh_config *config = config_of(pool);
    size_t size = oh_image_size(oh_config_pool(config, "alpha", 5));
    uint8_t *image = malloc(size);
    uint8_t *changed = malloc(size);

    test_begin("image: each bit of the nodes of %s changed", distribution);
    oh_image_write(oh_config_pool(config, "alpha", 5), salt, image);
    CHECK(oh_image_is_valid(image, size));
    for (size_t bit = (size - NODES_BYTES) * 8; bit < size * 8; bit++) {
        memcpy(changed, image, size);
        changed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        use_changed(image, changed, size);
    }
    free(changed);
    free(image);
    oh_config_free(config);
}

void test_image(void)
{
    oh_config *config = config_of(text);
    oh_server_pool pool = *oh_config_pool(config, "alpha", 5);
    size_t size = oh_image_size(&pool);
    uint8_t *image = malloc(size);

    pool.redis_auth = (oh_text){"secret", 6};
    oh_image_write(&pool, salt, image);
    test_what_went_in(&pool, image, size);
    test_variables(&pool);
    test_changed_bytes(image, size);
    test_changed_nodes("sharded_jedis", "  - a:1:3\n  - b:2\n");
    test_changed_nodes("spymemcached", "  - a:1:3\n  - b:2\n");
    test_changed_nodes("codis", "  - a:1:0-600\n  - b:2:601-1023\n");
    free(image);
    oh_config_free(config);
}
