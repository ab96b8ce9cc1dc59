/*
 * Method: describes what each method of phpredis sends.
 *
 * The rows are generated from spec/route/phpredis.json. A row names a command, and only the command
 * table says what that command means. Every Zend function has reserved slots for extensions. OneHop
 * stores an oh_method in one of them, so a handler needs no look-up. A method without a row gets a
 * derived one.
 *
 * Implements spec/route, "phpredis' methods".
 */
#ifndef OH_PHP_METHOD_H
#define OH_PHP_METHOD_H

#include "php/base/zend.h"

#include "zend_smart_str.h"

#include "core/command/command.h"
#include "core/resp/value.h"

#include "engine/exchange/exchange.h"

#include "php/express/express.h"

typedef enum oh_method_kind {
    OH_METHOD_COMMAND,
    OH_METHOD_RAW,
    OH_METHOD_MODE,
    OH_METHOD_SUBSCRIPTION,
    OH_METHOD_LOCAL,
    OH_METHOD_OWN,
    OH_METHOD_REFUSED
} oh_method_kind;

/* How arguments hold keys. */
typedef enum oh_key_form {
    OH_FORM_VALUE,           /* The argument is a key. */
    OH_FORM_VALUES,          /* The argument is an array of keys. */
    OH_FORM_NAMES,           /* The keys are the names in an array. */
    OH_FORM_REST,            /* This and all following arguments are keys. */
    OH_FORM_VALUE_OR_VALUES, /* A key, or an array of keys. */
    OH_FORM_VALUES_OR_REST,  /* An array of keys, or keys in this and all following arguments. */
    /* An array that begins with keys; another argument is their number. */
    OH_FORM_COUNTED,
    OH_FORM_OPTION /* Named entries of an array; each is a key or an array of keys. */
} oh_key_form;

typedef struct oh_method_key {
    uint8_t argument; /* From 0. */
    oh_key_form form;
    oh_key_kind kind;
    /* REST: the last key, counted from the end: -1 is the last argument; 0 means all. */
    int8_t last;
    uint8_t count;      /* COUNTED: the argument with the number of keys. */
    const char *names;  /* OPTION: the names in lower case, each between spaces. */
    bool is_unprefixed; /* phpredis does not add OPT_PREFIX to these keys. */
} oh_method_key;

/* A call that phpredis would send malformed. */
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
    bool needs_prefix; /* A fault only if OPT_PREFIX is set. */
    const char *reason;
} oh_fault;

typedef struct oh_method_row {
    const char *name;  /* Lower case. */
    unsigned versions; /* One bit for each version of phpredis that has the method. */
    oh_method_kind kind;
    const char *command; /* The command, or its first word. NULL if it sends none. */
    uint8_t subcommand;  /* The argument that names the subcommand, from 1; 0 if none. */
    const oh_method_key *keys;
    uint8_t keys_count;
    bool has_timeout;
    /* The argument with the timeout of a blocking command; negative counts from the end. */
    int8_t timeout;
    const oh_fault *faults;
    uint8_t faults_count;
    bool has_promise;      /* phpredis does not survive every reply: see oh_promise_is_kept. */
    const char *reason;    /* Why the method is refused, if it is. */
    const char *signature; /* Its parameters in the newest version; NULL if absent there. */
    /*
     * Its other parameters in older versions, with which a call means the same; NULL if there are
     * none.
     */
    const char *older_signature;
} oh_method_row;

typedef struct oh_method {
    zend_function *original; /* Our copy of phpredis' own: see method.c. */
    bool is_deprecated;
    const oh_method_row *row;
    struct oh_derived_row *derived; /* Owned; NULL if the row is in the table. */
    const oh_command *command;      /* NULL if an argument decides which command it is. */
    oh_express_forms express;
    const oh_promise *promise; /* NULL if phpredis survives every well-formed reply. */
    /* The argument that is its one key, from 1; 0 if its keys need planning. */
    uint8_t key;
    bool is_read_only; /* May be retried after a lost connection. */
    /* It takes an iterator by reference. One call may take many round trips. */
    bool is_iterated;
} oh_method;

extern int oh_methods_slot; /* Our index among the reserved slots of a function. */

static inline const oh_method *oh_method_of(const zend_execute_data *execute_data)
{
    return execute_data->func->internal_function.reserved[oh_methods_slot];
}

/* Reserves the slot and detects the version of phpredis. */
zend_result oh_methods_startup(void);

/*
 * Describes phpredis' method `original`; `name` is in lower case. The result is allocated for the
 * life of the process.
 */
oh_method *oh_method_new(zend_function *original, const char *name);
void oh_method_free(oh_method *method);

/* ---- Promises ---- */

/* The promise of a request as phpredis sends it: of a command, or of all commands of a pipeline. */
extern const oh_promise oh_promise_of_request;

/* True if the next replies have the form that their commands promise. */
bool oh_promise_is_kept(oh_values commands, oh_values replies);

/* The promises of commands that a node has queued one by one after MULTI. */
typedef struct oh_queued_promise {
    oh_promise of_command; /* Notes a command that the node queues. */
    oh_promise of_exec;    /* Judges the reply of EXEC. */
    const uint32_t *place; /* How many commands are queued. */
    uint32_t count;        /* Commands that were noted, or passed over. */
    smart_str commands;
} oh_queued_promise;

void oh_queued_promise_begin(oh_queued_promise *queued, const uint32_t *place);
void oh_queued_promise_end(oh_queued_promise *queued);

/*
 * Derive: makes the row of a method that the method table does not have, from its name and its
 * parameters.
 *
 * phpredis gives a method the name of its command, and a parameter that is a key a name such as
 * `key`. So the methods that a newer phpredis adds are understood without a row of their own. A
 * method that cannot be understood gets a row that refuses it, with the reason.
 *
 * Implements spec/route, "phpredis' methods": methods without a row.
 */
#define OH_DERIVED_KEYS_MAX 2

typedef struct oh_derived_row {
    oh_method_row row;
    oh_method_key keys[OH_DERIVED_KEYS_MAX];
} oh_derived_row;

/*
 * Derives the row of phpredis' method `original`; `name` is in lower case. `changed` is the row of
 * this method with other parameters, or NULL. `derived` must stay at its address.
 */
void oh_method_derive(oh_derived_row *derived, const zend_function *original, const char *name,
    const oh_method_row *changed);

#endif
