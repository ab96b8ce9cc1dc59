/*
 * The header contains the directives by value. It does not repeat the servers, since the topology
 * lists them in the same order.
 */
#include "core/topology/topology_image.h"

#include <string.h>

#include "core/generated/limits.h"
#include "core/hash/md5.h"

#define MAGIC 0x4f484942u /* "OHIB": also the version of the layout. */

/* The texts after the header, in their order. Each ends with a NUL; an absent one is only a NUL. */
enum {
    NAME,
    VARIABLES,
    SENTINELS,
    ZONE_HOSTS,
#define X(constant, member) constant,
    OH_SHARED_TEXTS(X)
#undef X
        TEXTS_COUNT
};

enum {
#define X(name, member, type, most) VALUE_##name,
    OH_SHARED_VALUES(X)
#undef X
        VALUES_COUNT
};

/* All of its numbers have one size, so it has no padding: images are compared byte by byte. */
typedef struct header {
    uint32_t magic;
    uint32_t length;
    uint32_t topology;             /* Offset. */
    uint32_t lengths[TEXTS_COUNT]; /* 0: none. */
#define X(name, member, type, most) uint32_t name;
    OH_SHARED_VALUES(X)
#undef X
    uint32_t hash_tag; /* Both of its bytes. */
    uint32_t has_secrets;
    uint32_t fingerprint;
    uint32_t zeros[2 - (TEXTS_COUNT + VALUES_COUNT) % 2];
    uint8_t secrets_digest[OH_IMAGE_DIGEST_BYTES];
    uint8_t variables_digest[OH_IMAGE_DIGEST_BYTES];
} header;

_Static_assert(sizeof(header) % 8 == 0, "The topology after it and its texts is aligned.");

static size_t aligned(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static size_t topology_offset(const header *head)
{
    size_t offset = sizeof *head;

    for (int i = 0; i < TEXTS_COUNT; i++) {
        offset += (size_t)head->lengths[i] + 1;
    }
    return aligned(offset);
}

/* No secret contains a NUL, so a NUL after each keeps them apart. False if there is no secret. */
static bool digest_secrets(const oh_server_pool *pool, const uint8_t salt[OH_IMAGE_SALT_BYTES],
    uint8_t digest[OH_IMAGE_DIGEST_BYTES])
{
    oh_secret_texts secrets = oh_server_pool_secrets(pool);
    bool has_some = false;
    oh_md5 md5;

    oh_md5_begin(&md5);
    oh_md5_add(&md5, salt, OH_IMAGE_SALT_BYTES);
    for (int i = 0; i < OH_SECRETS_COUNT; i++) {
        has_some |= secrets.each[i].bytes != NULL;
        oh_md5_add(&md5, secrets.each[i].bytes, secrets.each[i].length);
        oh_md5_add(&md5, "", 1);
    }
    oh_md5_end(&md5, digest);
    return has_some;
}

/* ---- Variables ---- */

/* Cuts the first name off a list of names separated by blanks. */
static oh_text cut_name(oh_text *names)
{
    const char *blank = names->length > 0 ? memchr(names->bytes, ' ', names->length) : NULL;
    oh_text name = {names->bytes, blank ? (size_t)(blank - names->bytes) : names->length};
    size_t used = name.length + (blank != NULL);

    *names = (oh_text){names->bytes + used, names->length - used};
    return name;
}

/* The value of a variable; empty if its name is too long for a variable. */
static oh_text value_of(oh_text name, oh_variable variable)
{
    char text[OH_VARIABLE_BYTES_MAX + 1];

    if (name.length == 0 || name.length > OH_VARIABLE_BYTES_MAX) {
        return (oh_text){"", 0};
    }
    memcpy(text, name.bytes, name.length);
    text[name.length] = '\0';
    const char *value = variable(text);
    return value ? (oh_text){value, strlen(value)} : (oh_text){"", 0};
}

void oh_image_digest_variables(oh_text variables, const uint8_t salt[OH_IMAGE_SALT_BYTES],
    oh_variable variable, uint8_t digest[OH_IMAGE_DIGEST_BYTES])
{
    oh_md5 md5;

    oh_md5_begin(&md5);
    oh_md5_add(&md5, salt, OH_IMAGE_SALT_BYTES);
    while (variables.length > 0) {
        oh_text name = cut_name(&variables);
        oh_text value = value_of(name, variable);

        oh_md5_add(&md5, name.bytes, name.length);
        oh_md5_add(&md5, "=", 1);
        oh_md5_add(&md5, value.bytes, value.length);
        oh_md5_add(&md5, "", 1);
    }
    oh_md5_end(&md5, digest);
}

/* ---- Writing ---- */

typedef struct texts {
    oh_text each[TEXTS_COUNT];
} texts;

static texts texts_of(const oh_server_pool *pool)
{
    return (texts){{[NAME] = pool->name,
        [VARIABLES] = pool->variables,
        [SENTINELS] = pool->sentinels,
        [ZONE_HOSTS] = pool->zone.hosts,
#define X(constant, member) [constant] = pool->member,
        OH_SHARED_TEXTS(X)
#undef X
    }};
}

static void write_lengths(const oh_server_pool *pool, header *head)
{
    texts all = texts_of(pool);

    for (int i = 0; i < TEXTS_COUNT; i++) {
        head->lengths[i] = (uint32_t)all.each[i].length;
    }
    head->topology = (uint32_t)topology_offset(head);
}

size_t oh_image_size(const oh_server_pool *pool)
{
    header head = {0};

    write_lengths(pool, &head);
    return head.topology + aligned(oh_topology_size(pool));
}

static void write_header(const oh_server_pool *pool, header *head)
{
    head->magic = MAGIC;
    write_lengths(pool, head);
#define X(name, member, type, most) head->name = (uint32_t)pool->member;
    OH_SHARED_VALUES(X)
#undef X
    head->hash_tag = (uint32_t)pool->hash_tag[0] << 8 | pool->hash_tag[1];
    memcpy(head->variables_digest, pool->variables_digest, sizeof head->variables_digest);
}

/* Their memory is zero, so the NULs are there. */
static void write_texts(const oh_server_pool *pool, char *to)
{
    texts all = texts_of(pool);

    for (int i = 0; i < TEXTS_COUNT; i++) {
        if (all.each[i].length > 0) {
            memcpy(to, all.each[i].bytes, all.each[i].length);
        }
        to += all.each[i].length + 1;
    }
}

/* The first eight digits as a number. */
static uint32_t beginning_of(const char *fingerprint)
{
    uint32_t number = 0;

    for (int i = 0; i < 8; i++) {
        char digit = fingerprint[i];

        number = number << 4 | (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    return number;
}

void oh_image_write(
    const oh_server_pool *pool, const uint8_t salt[OH_IMAGE_SALT_BYTES], void *memory)
{
    size_t size = oh_image_size(pool);
    header *head = memory;

    memset(memory, 0, size);
    write_header(pool, head);
    write_texts(pool, (char *)(head + 1));
    head->has_secrets = digest_secrets(pool, salt, head->secrets_digest);
    oh_topology *topology = (oh_topology *)((char *)memory + head->topology);
    oh_topology_build(pool, NULL, topology, size - head->topology);
    head->fingerprint = pool->fingerprint != 0 ? pool->fingerprint
                                               : beginning_of(oh_topology_fingerprint(topology));
    head->length = head->topology + (uint32_t)oh_topology_length(topology);
}

/* ---- Trusting ---- */

static bool has_good_lengths(const header *head)
{
    for (int i = 0; i < TEXTS_COUNT; i++) {
        bool is_list = i == VARIABLES || i == SENTINELS || i == ZONE_HOSTS;
        size_t most = i == NAME          ? OH_POOL_NAME_BYTES_MAX
                      : i == CLIENT_NAME ? OH_CLIENT_NAME_BYTES_MAX
                      : is_list          ? OH_CONFIG_BYTES_MAX
                                         : OH_TEXT_BYTES_MAX;

        if (head->lengths[i] > most) {
            return false;
        }
    }
    return true;
}

static bool has_good_values(const header *head)
{
#define X(name, member, type, most) head->name <= (most) &&
    return OH_SHARED_VALUES(X) head->has_secrets <= 1;
#undef X
}

static bool has_good_fields(const header *head, size_t length)
{
    return head->magic == MAGIC && head->length <= length && has_good_lengths(head) &&
           has_good_values(head) && head->topology == topology_offset(head) &&
           head->topology < head->length;
}

static bool has_good_texts(const header *head)
{
    const char *text = (const char *)(head + 1);

    for (int i = 0; i < TEXTS_COUNT; i++) {
        size_t length = head->lengths[i];

        if (memchr(text, '\0', length + 1) != text + length) {
            return false;
        }
        text += length + 1;
    }
    return true;
}

bool oh_image_is_valid(const void *image, size_t length)
{
    const header *head = image;

    if (length < sizeof *head || !has_good_fields(head, length)) {
        return false;
    }
    return has_good_texts(head) &&
           oh_topology_valid((const char *)image + head->topology, head->length - head->topology) &&
           head->hash == oh_topology_hash_function(oh_image_topology(image)) &&
           head->distribution == oh_topology_distribution(oh_image_topology(image));
}

bool oh_image_equals(const void *a, size_t a_length, const void *b, size_t b_length)
{
    return a_length >= sizeof(header) && b_length >= sizeof(header) &&
           ((const header *)a)->length == ((const header *)b)->length &&
           memcmp(a, b, ((const header *)a)->length) == 0;
}

/* ---- Reading ---- */

const oh_topology *oh_image_topology(const void *image)
{
    const header *head = image;

    return (const oh_topology *)((const char *)image + head->topology);
}

static void read_servers(const oh_topology *topology, oh_server *servers)
{
    for (uint32_t i = 0; i < oh_topology_nodes_count(topology); i++) {
        oh_node node = oh_topology_node(topology, i);

        servers[i] = (oh_server){.name = node.name,
            .host = node.host,
            .path = node.path,
            .port = node.port,
            .weight = node.weight,
            .id = node.id,
            .role = node.role,
            .master = (uint16_t)node.master,
            .is_failing = node.is_failing,
            .is_loading = node.is_loading,
            .is_near = node.is_near,
            .is_named = node.is_named,
            .slots = node.slots};
    }
}

/* Absent if it is empty. */
static oh_text text_at(const header *head, int number)
{
    const char *text = (const char *)(head + 1);

    for (int i = 0; i < number; i++) {
        text += head->lengths[i] + 1;
    }
    return head->lengths[number] > 0 ? (oh_text){text, head->lengths[number]} : (oh_text){NULL, 0};
}

oh_text oh_image_variables(const void *image)
{
    return text_at(image, VARIABLES);
}

oh_text oh_image_password_file(const void *image)
{
    return text_at(image, REDIS_AUTH_FILE);
}

const uint8_t *oh_image_variables_digest(const void *image)
{
    return ((const header *)image)->variables_digest;
}

void oh_image_pool(const void *image, oh_server *servers, oh_server_pool *pool)
{
    const header *head = image;
    const oh_topology *topology = oh_image_topology(image);

    read_servers(topology, servers);
    *pool = (oh_server_pool){.name = text_at(head, NAME),
        .variables = text_at(head, VARIABLES),
        .sentinels = text_at(head, SENTINELS),
        .servers = servers,
        .servers_count = oh_topology_nodes_count(topology),
        .old_nodes_count = oh_topology_old_nodes_count(topology),
        .slots = oh_topology_slots(topology),
        .epoch = oh_topology_epoch(topology),
        .fingerprint = head->fingerprint,
        .hash_tag = {(uint8_t)(head->hash_tag >> 8), (uint8_t)head->hash_tag}};
    pool->zone.hosts = text_at(head, ZONE_HOSTS);
#define X(constant, member) pool->member = text_at(head, constant);
    OH_SHARED_TEXTS(X)
#undef X
#define X(name, member, type, most) pool->member = (type)head->name;
    OH_SHARED_VALUES(X)
#undef X
    memcpy(pool->variables_digest, head->variables_digest, sizeof pool->variables_digest);
}

bool oh_image_has_secrets(const void *image)
{
    return ((const header *)image)->has_secrets != 0;
}

bool oh_image_is_of_secrets(
    const void *image, const uint8_t salt[OH_IMAGE_SALT_BYTES], const oh_server_pool *pool)
{
    uint8_t digest[OH_IMAGE_DIGEST_BYTES];
    const header *head = image;

    return digest_secrets(pool, salt, digest) == (head->has_secrets != 0) &&
           memcmp(digest, head->secrets_digest, sizeof digest) == 0;
}
