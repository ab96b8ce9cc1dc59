/*
 * Any bytes as a configuration. Either there is an error with a line and a printable reason, or
 * each pool of the result becomes a valid topology that places keys.
 */
#include <string.h>

#include "core/config/config.h"
#include "core/topology/topology.h"
#include "fuzz.h"

const char *const fuzz_words[] = {"alpha:\n", "  listen: 127.0.0.1:22121\n", "  servers:\n",
    "  - 10.0.0.1:6379:1\n", "   - /tmp/redis.sock:1 name\n", "  hash: murmur\n",
    "  hash_tag: \"{}\"\n", "  distribution: modula\n", "  redis: true\n", "  redis_auth: secret\n",
    "  timeout: 400\n", ": ", "- ", "\n", "  ", "? ", "|", ">", "&a ", "*a", "!", "[", "{", "}",
    "]", "'", "\"", "\\", "\\u2028", "\xef\xbb\xbf", "\xe4\xb8\xad", "---\n", "...\n",
    "%YAML 1.1\n", "#", "\t", "\r\n", "2147483648", "11211", NULL};

static void use_pool(const oh_server_pool *pool)
{
    size_t size = oh_topology_size(pool);
    void *memory = malloc(size);
    MUST(memory != NULL && oh_topology_build(pool, NULL, memory, size));
    MUST(oh_topology_valid(memory, size));
    for (size_t i = 0; i < pool->servers_count; i++) {
        oh_text name = pool->servers[i].name;
        MUST(strlen(name.bytes) == name.length && name.length > 0);
        MUST(oh_topology_locate(memory, (const uint8_t *)name.bytes, name.length) <
             pool->servers_count);
    }
    free(memory);
}

static void check_error(const oh_config_error *error)
{
    MUST(error->line >= 1);
    MUST(error->reason[0] != '\0' && memchr(error->reason, '\0', sizeof error->reason) != NULL);
    for (const char *at = error->reason; *at != '\0'; at++) {
        MUST(*at >= 0x20 && *at <= 0x7e);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    oh_config *config;
    oh_config_error error = {0, "", false};
    if (!oh_config_parse((const char *)bytes, length, &config, &error)) {
        MUST(config == NULL);
        check_error(&error);
        return 0;
    }
    MUST(config->pools_count > 0);
    for (size_t i = 0; i < config->pools_count; i++) {
        use_pool(&config->pools[i]);
    }
    oh_config_free(config);
    return 0;
}
