/*
 * Config: the text of a nutcracker.yml in, its server pools out, or the first error with its line
 * and reason.
 *
 * It accepts what nutcracker accepts, with the same meaning, and OneHop's own directives. It
 * resolves and opens nothing: the caller has read the file. Listen-side directives are checked for
 * their form and then have no effect. A text is accepted as a whole or not at all.
 *
 * Before it on the road: the file. After it: topology (where keys live) and pool (how nodes are
 * reached). It never crashes, hangs or leaks, whatever the bytes, within the limits of
 * spec/constants.json.
 *
 * Implements spec/config.
 */
#ifndef OH_CONFIG_H
#define OH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/memory.h"
#include "core/topology/server_pool.h"

typedef struct oh_config {
    oh_server_pool *pools; /* In the order of the file. */
    size_t pools_count;
    oh_arena arena; /* Everything above lives here. */
} oh_config;

typedef struct oh_config_error {
    uint32_t line; /* 1-based. */
    /* One line without control characters, as worded in spec/config. Never a password. */
    char reason[512];
    bool is_out_of_memory; /* Then the error says nothing about the text. */
} oh_config_error;

/*
 * Reads a whole text. If true, *out is the configuration; oh_config_free releases it. If false,
 * *error is the first fault, and *out is NULL.
 */
bool oh_config_parse(const char *text, size_t length, oh_config **out, oh_config_error *error);

/* NULL is allowed. */
void oh_config_free(oh_config *config);

/* The pool of that name, or NULL. Lives as long as `config`. */
const oh_server_pool *oh_config_pool(const oh_config *config, const char *name, size_t length);

#endif
