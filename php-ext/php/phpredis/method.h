/*
 * Method: what each of phpredis' methods sends.
 *
 * The rows are generated from spec/route/phpredis.json; what the command they name means is in the
 * command table alone. Zend reserves slots in every function: one of them is ours, so a handler
 * finds what it needs to know of its method without a look-up. A method without a row is refused.
 *
 * Implements spec/route, "phpredis' methods".
 */
#ifndef OH_PHP_METHOD_H
#define OH_PHP_METHOD_H

#include "php_onehop.h"

#include "core/command/command.h"

typedef enum oh_method_kind {
    OH_METHOD_COMMAND,
    OH_METHOD_RAW,
    OH_METHOD_MODE,
    OH_METHOD_SUBSCRIPTION,
    OH_METHOD_LOCAL,
    OH_METHOD_OWN,
    OH_METHOD_REFUSED
} oh_method_kind;

/* How an argument holds keys. */
typedef enum oh_key_form {
    OH_FORM_VALUE,           /* It is one. */
    OH_FORM_VALUES,          /* It is an array of them. */
    OH_FORM_NAMES,           /* They are the names of an array. */
    OH_FORM_REST,            /* It and all that follow. */
    OH_FORM_VALUE_OR_VALUES, /* It is one, or an array of them. */
    OH_FORM_VALUES_OR_REST,  /* It is an array of them, or it and all that follow are. */
    /* It is an array that begins with them; another argument says how many. */
    OH_FORM_COUNTED,
    OH_FORM_OPTION /* Entries of an array by name, each one key or an array of them. */
} oh_key_form;

typedef struct oh_method_key {
    uint8_t argument; /* From 0. */
    oh_key_form form;
    oh_key_kind kind;
    int8_t last;        /* REST: up to here, from the end of the arguments; 0 is all of them. */
    uint8_t count;      /* COUNTED: the argument that says how many. */
    const char *names;  /* OPTION: in small letters, each between spaces. */
    bool is_unprefixed; /* phpredis puts no OPT_PREFIX there. */
} oh_method_key;

/* A call that phpredis would send broken. */
typedef enum oh_fault_is {
    OH_FAULT_ARRAY,
    OH_FAULT_EMPTY,
    OH_FAULT_OPTION,
    OH_FAULT_SUBCOMMAND
} oh_fault_is;

typedef struct oh_fault {
    oh_fault_is is;
    uint8_t argument;
    const char *names;
    bool needs_prefix; /* Only with OPT_PREFIX. */
    const char *reason;
} oh_fault;

typedef struct oh_method_row {
    const char *name;  /* Lower case. */
    unsigned versions; /* A bit for each version of phpredis that the table knows. */
    oh_method_kind kind;
    const char *command; /* NULL: none, or the first of its words. */
    uint8_t subcommand;  /* The position of the argument that names it, from 1; 0: there is none. */
    const oh_method_key *keys;
    uint8_t keys_count;
    bool has_timeout;
    /* The argument with the timeout of a command that waits; negative: from the end. */
    int8_t timeout;
    const oh_fault *faults;
    uint8_t faults_count;
    const char *reason;    /* Of a refused one. */
    const char *signature; /* Its parameters in the newest version; NULL: it is not there. */
} oh_method_row;

typedef struct oh_method {
    zend_function *original; /* phpredis' own. */
    /* A copy of it, if it is deprecated: the script's own call has said so. Otherwise NULL. */
    zend_function *silent;
    const oh_method_row *row;  /* NULL: nothing is known of it. */
    const oh_command *command; /* NULL while a subcommand, or a word, decides. */
    /* The position of its one plain key among the arguments, from 1; otherwise 0. */
    uint8_t key;
    bool is_read_only; /* May be sent again if a connection broke. */
    /* It takes an iterator by reference: one call may be many round trips. */
    bool is_iterated;
} oh_method;

extern int oh_methods_slot; /* Which of Zend's reserved slots of a function is ours. */

static inline const oh_method *oh_method_of(const zend_execute_data *execute_data)
{
    return execute_data->func->internal_function.reserved[oh_methods_slot];
}

/* Reserves the slot, and sees which phpredis is loaded. */
zend_result oh_methods_startup(void);

/*
 * What there is to know of phpredis' method `original`; `name` is in small letters. In the memory
 * of the process.
 */
oh_method *oh_method_new(zend_function *original, const char *name);
void oh_method_free(oh_method *method);

#endif
