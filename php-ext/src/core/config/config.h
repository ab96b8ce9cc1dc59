/*
 * Config: the text of a nutcracker.yml in, its server pools out, or its errors with their lines and
 * reasons.
 *
 * It accepts what nutcracker accepts, with the same meaning, and OneHop's own directives. A pool
 * with one of these directives is a OneHop pool: it may leave more out, and may use environment
 * variables. Nothing is resolved or opened: the caller has read the file. Listen-side directives
 * are checked for their form and then have no effect. A text is accepted as a whole or not at all.
 *
 * Before it: the file. After it: topology (where keys live) and pool (how nodes are reached). The
 * room never crashes, hangs or leaks, whatever the bytes, within the limits of spec/constants.json.
 *
 * Implements spec/config.
 */
#ifndef OH_CONFIG_H
#define OH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/memory.h"
#include "core/generated/limits.h"
#include "core/topology/server_pool.h"

typedef struct oh_config {
    oh_server_pool *pools; /* In the order of the file. */
    size_t pools_count;
    oh_arena arena; /* Everything above lives here. */
} oh_config;

typedef struct oh_config_error {
    uint32_t line;  /* 1-based. */
    uint32_t order; /* Its order among the errors of the line. */
    /*
     * One line without control characters, as worded in spec/config. Never a password, and never
     * what an environment variable says.
     */
    char reason[512];
} oh_config_error;

typedef struct oh_config_errors {
    oh_config_error list[OH_CONFIG_ERRORS_MAX]; /* In the order of the lines. */
    size_t count;                               /* How many errors are in the list. */
    size_t more;                                /* Errors that are not in the list. */
    bool is_out_of_memory; /* Then the list has one error, which says nothing about the text. */
    bool has_variables;    /* Another environment may make the text good. */
    /* Set by the caller if no person has seen the text, so that line numbers mean nothing. */
    bool has_no_lines;
} oh_config_errors;

/*
 * Reads a whole text. If true, *out is the configuration; oh_config_free releases it. If false,
 * *errors has at least one error, and *out is NULL.
 */
bool oh_config_parse(const char *text, size_t length, oh_variable variable, oh_config **out,
    oh_config_errors *errors);

/*
 * All errors on one line, as messages show them: the first reason without its line, then
 * "; line N: reason", or "; reason", for each of the others as far as there is room, then how many
 * are left.
 */
void oh_config_tell(const oh_config_errors *errors, char *text, size_t size);

/* NULL is allowed. */
void oh_config_free(oh_config *config);

/*
 * True if this directive accepts any text as its value. A boolean from a program is a mistake
 * there: written out, it would become the text "false".
 */
bool oh_config_takes_text(const char *directive, size_t length);

/*
 * Takes the password from the content of a password file, without copying it. If there is none,
 * returns false and a reason that shows nothing of the content.
 */
typedef struct oh_password_reason {
    char text[128];
} oh_password_reason;
bool oh_config_take_password(oh_text content, oh_text *password, oh_password_reason *reason);

/*
 * How many bytes at the beginning of a text can be a path, or the name of a pool. Messages show
 * only these: a program may have passed the text of a configuration instead, and a password may be
 * in it.
 */
size_t oh_config_path_length(const char *text, size_t length);

/* The pool of that name, or NULL. Lives as long as `config`. */
const oh_server_pool *oh_config_pool(const oh_config *config, const char *name, size_t length);

#endif
