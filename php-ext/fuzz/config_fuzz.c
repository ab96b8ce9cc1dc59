/*
 * Any bytes as a configuration. Either parsing fails with a line and a printable reason, or each
 * pool of the result becomes a valid topology that places keys.
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
    "%YAML 1.1\n", "#", "\t", "\r\n", "2147483648", "11211", "  cluster: true\n",
    "  engine: redis\n", "  - 10.0.0.1:6379\n", "[10.0.0.1:6379]", "{cluster: true}",
    "  replicas:\n", "  - 10.0.0.3:6379 name\n", "${A}", "${B}", "$${", ", ", "timuot", NULL};

/* A is a server, B is not allowed, and no other variable is set. */
static char *variable(const char *name)
{
    static char values[][16] = {"10.0.0.9:6379", "secret\n"};
    bool is_known = strcmp(name, "A") == 0 || strcmp(name, "B") == 0;
    return is_known ? values[name[0] - 'A'] : NULL;
}

static void use_pool(const oh_server_pool *pool)
{
    size_t size = oh_topology_size(pool);
    void *memory = malloc(size);
    MUST(memory && oh_topology_build(pool, NULL, memory, size));
    MUST(oh_topology_valid(memory, size));
    for (size_t i = 0; i < pool->servers_count; i++) {
        oh_text name = pool->servers[i].name;
        MUST(strlen(name.bytes) == name.length && name.length > 0);
        MUST(oh_topology_locate(memory, (const uint8_t *)name.bytes, name.length) <
             oh_server_pool_count_masters(pool));
    }
    free(memory);
}

static void check_error(const oh_config_error *error)
{
    MUST(error->line >= 1);
    MUST(error->reason[0] != '\0' && memchr(error->reason, '\0', sizeof error->reason));
    for (const char *at = error->reason; *at != '\0'; at++) {
        MUST(*at >= 0x20 && *at <= 0x7e);
    }
}

/* The errors are in the order of their lines. A message can be made of them. */
static void check_errors(const oh_config_errors *errors)
{
    MUST(errors->count >= 1 && errors->count <= OH_CONFIG_ERRORS_MAX);
    MUST(errors->more == 0 || errors->count == OH_CONFIG_ERRORS_MAX);
    for (size_t i = 0; i < errors->count; i++) {
        check_error(&errors->list[i]);
        MUST(i == 0 || errors->list[i - 1].line <= errors->list[i].line);
    }
    char told[1024];
    oh_config_tell(errors, told, sizeof told);
    MUST(told[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    oh_config *config;
    oh_config_errors errors;
    if (!oh_config_parse((const char *)bytes, length, variable, &config, &errors)) {
        MUST(config == NULL);
        check_errors(&errors);
        return 0;
    }
    MUST(config->pools_count > 0);
    for (size_t i = 0; i < config->pools_count; i++) {
        use_pool(&config->pools[i]);
    }
    oh_config_free(config);
    return 0;
}
