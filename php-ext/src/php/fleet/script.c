/*
 * Script: makes EVALSHA work on nodes that have lost the script.
 *
 * Every process remembers the bodies of its EVAL and SCRIPT LOAD calls by their SHA1. If a node
 * answers NOSCRIPT to an EVALSHA with a known body, OneHop loads the script there and sends the
 * command again. This is safe, because NOSCRIPT proves that the command did not run. A pipeline
 * cannot be repaired afterwards, so there the script is loaded before the first EVALSHA.
 *
 * Implements spec/route, "Scripts".
 *
 * Bodies outlive requests, so they are kept in memory of the process: one table finds a body by its
 * digest, the other finds the digest of a body.
 */
#include "php/base/zend.h"

#include "ext/standard/sha1.h"

#include "core/base/compiler.h"
#include "core/generated/limits.h"

#include "php/exception/exception.h"
#include "php/batch/batch.h"
#include "php/phpredis/node_client.h"
#include "php/fleet/fleet.h"

#define DIGEST_LENGTH 40

/* ---- Known scripts ---- */

static OH_PER_THREAD HashTable by_digest; /* 40 hexadecimal digits ─► body, the oldest first. */
static OH_PER_THREAD HashTable bodies;    /* body ─► its digest, computed once. */

void oh_script_begin(void)
{
    zend_hash_init(&by_digest, 8, NULL, ZVAL_INTERNAL_PTR_DTOR, true);
    zend_hash_init(&bodies, 8, NULL, ZVAL_INTERNAL_PTR_DTOR, true);
}

void oh_script_end(void)
{
    zend_hash_destroy(&by_digest);
    zend_hash_destroy(&bodies);
}

static void digest_of(const zend_string *body, char digest[DIGEST_LENGTH + 1])
{
    PHP_SHA1_CTX context;
    unsigned char bytes[DIGEST_LENGTH / 2];

    PHP_SHA1Init(&context);
    PHP_SHA1Update(&context, (const unsigned char *)ZSTR_VAL(body), ZSTR_LEN(body));
    PHP_SHA1Final(bytes, &context);
    make_sha1_digest(digest, bytes);
}

static void put(HashTable *table, zend_string *key, zend_string *value)
{
    zval entry;

    ZVAL_STR_COPY(&entry, value);
    zend_hash_update(table, key, &entry);
}

static void forget_oldest(void)
{
    HashPosition oldest;
    zend_string *digest;
    zend_ulong number;

    zend_hash_internal_pointer_reset_ex(&by_digest, &oldest);
    zval *body = zend_hash_get_current_data_ex(&by_digest, &oldest);
    zend_hash_del(&bodies, Z_STR_P(body));
    zend_hash_get_current_key_ex(&by_digest, &digest, &number, &oldest);
    zend_hash_del(&by_digest, digest);
}

static void remember(const zend_string *text)
{
    char digits[DIGEST_LENGTH + 1];

    if (ZSTR_LEN(text) > OH_SCRIPT_BYTES_MAX || zend_hash_exists(&bodies, (zend_string *)text)) {
        return;
    }
    if (zend_hash_num_elements(&by_digest) == OH_SCRIPTS_MAX) {
        forget_oldest();
    }
    digest_of(text, digits);
    zend_string *body = zend_string_init(ZSTR_VAL(text), ZSTR_LEN(text), true);
    zend_string *digest = zend_string_init(digits, DIGEST_LENGTH, true);
    put(&by_digest, digest, body);
    put(&bodies, body, digest);
    zend_string_release(body);
    zend_string_release(digest);
}

static zend_string *body_of(const char *digest, size_t length)
{
    char lower[DIGEST_LENGTH + 1];
    zval *body;

    if (length != DIGEST_LENGTH) {
        return NULL;
    }
    zend_str_tolower_copy(lower, digest, DIGEST_LENGTH);
    body = zend_hash_str_find(&by_digest, lower, DIGEST_LENGTH);
    return body ? Z_STR_P(body) : NULL;
}

oh_bytes oh_script_body(const char *digest, size_t length)
{
    const zend_string *body = body_of(digest, length);

    return body ? (oh_bytes){(const uint8_t *)ZSTR_VAL(body), ZSTR_LEN(body)} : (oh_bytes){NULL, 0};
}

/* ---- The script of a call ---- */

typedef enum script_role { NO_SCRIPT, GIVES_BODY, NAMES_BODY } script_role;

static script_role role_of(const oh_command *command)
{
    static const struct {
        const char *name;
        script_role role;
    } roles[] = {{"eval", GIVES_BODY}, {"eval_ro", GIVES_BODY}, {"script|load", GIVES_BODY},
        {"evalsha", NAMES_BODY}, {"evalsha_ro", NAMES_BODY}};

    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (strcmp(roles[i].name, command->name) == 0) {
            return roles[i].role;
        }
    }
    return NO_SCRIPT;
}

/*
 * Returns the argument with the body or its digest, which follows the command's words. Only
 * rawCommand has all of these words among its arguments.
 */
static zend_string *script_of(const oh_plan *plan, zend_execute_data *execute_data)
{
    bool is_raw = plan->method->row->kind == OH_METHOD_RAW,
         has_subcommand = strchr(plan->command->name, '|') != NULL;
    uint32_t position = 1 + is_raw + has_subcommand;
    zval *argument = ZEND_NUM_ARGS() >= position ? ZEND_CALL_ARG(execute_data, position) : NULL;

    if (argument) {
        ZVAL_DEREF(argument);
    }
    return argument && Z_TYPE_P(argument) == IS_STRING ? Z_STR_P(argument) : NULL;
}

void oh_script_see(const oh_plan *plan, zend_execute_data *execute_data)
{
    zend_string *body = role_of(plan->command) == GIVES_BODY ? script_of(plan, execute_data) : NULL;

    if (body) {
        remember(body);
    }
}

static zend_string *known_body(const oh_plan *plan, zend_execute_data *execute_data)
{
    zend_string *digest =
        role_of(plan->command) == NAMES_BODY ? script_of(plan, execute_data) : NULL;

    return digest ? body_of(ZSTR_VAL(digest), ZSTR_LEN(digest)) : NULL;
}

bool oh_script_is_known(const oh_plan *plan, zend_execute_data *execute_data)
{
    return known_body(plan, execute_data) != NULL;
}

/* ---- Calling ---- */

#define LOAD_WORDS 3

/* SCRIPT LOAD through rawCommand, so that no option of the client changes its words. */
static void load_arguments(zval arguments[LOAD_WORDS], const zend_string *body)
{
    ZVAL_STRINGL(&arguments[0], "SCRIPT", strlen("SCRIPT"));
    ZVAL_STRINGL(&arguments[1], "LOAD", strlen("LOAD"));
    ZVAL_STRINGL(&arguments[2], ZSTR_VAL(body), ZSTR_LEN(body));
}

static void free_arguments(zval arguments[LOAD_WORDS])
{
    for (uint32_t i = 0; i < LOAD_WORDS; i++) {
        zval_ptr_dtor(&arguments[i]);
    }
}

static bool has_lost_script(oh_node_client *node_client, const zval *reply)
{
    zval error;

    if (Z_TYPE_P(reply) != IS_FALSE || EG(exception) || !node_client->transport ||
        !oh_exchange_has_error_reply(&node_client->transport->exchange)) {
        return false;
    }
    ZVAL_UNDEF(&error);
    oh_node_client_call(node_client, oh_phpredis_method("getlasterror"), 0, NULL, &error);
    bool has_lost =
        Z_TYPE(error) == IS_STRING && zend_string_starts_with_literal(Z_STR(error), "NOSCRIPT");
    zval_ptr_dtor(&error);
    return has_lost;
}

/* Loads the script. Returns false if the node did not accept it; its error is kept. */
static bool load(oh_node_client *node_client, const zend_string *body)
{
    zval arguments[LOAD_WORDS], reply;

    load_arguments(arguments, body);
    ZVAL_UNDEF(&reply);
    oh_node_client_call(
        node_client, oh_phpredis_method("rawcommand"), LOAD_WORDS, arguments, &reply);
    bool is_loaded = Z_TYPE(reply) == IS_STRING && !oh_node_client_has_failed(node_client);
    zval_ptr_dtor(&reply);
    free_arguments(arguments);
    return is_loaded;
}

/* Hides the NOSCRIPT error from the PHP script. */
static void forget_error(oh_node_client *node_client)
{
    oh_node_client_invoke(node_client, "clearlasterror");
    oh_exchange_forget_error_reply(&node_client->transport->exchange);
}

/* Calls the EVALSHA. On NOSCRIPT, loads the script and calls again, all within one deadline. */
static void call_and_repair(
    oh_client *client, const oh_plan *plan, const zend_string *body, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_node_client *node_client = oh_node_client_take(client, plan->call.node);

    if (!node_client) {
        return;
    }
    oh_node_client_enter(node_client, &plan->call.terms, NULL);
    oh_node_client_call_in_frame(node_client, plan->method, execute_data, return_value);
    if (has_lost_script(node_client, return_value) && load(node_client, body)) {
        forget_error(node_client);
        oh_node_client_call_in_frame(node_client, plan->method, execute_data, return_value);
    }
    if (UNEXPECTED(oh_node_client_has_failed(node_client)) && !oh_is_script_ending()) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        oh_failure_throw(oh_node_client_failure(node_client));
    }
    oh_node_client_leave(node_client);
}

/* Queues SCRIPT LOAD before the first EVALSHA that needs it, once for each node and batch. */
static void load_in_batch(oh_client *client, uint32_t node, const zend_string *body)
{
    zval arguments[LOAD_WORDS];
    zend_string *where = zend_string_alloc(sizeof node + ZSTR_LEN(body), false);

    memcpy(ZSTR_VAL(where), &node, sizeof node);
    memcpy(ZSTR_VAL(where) + sizeof node, ZSTR_VAL(body), ZSTR_LEN(body) + 1);
    if (oh_batch_is_first(client->batch, where)) {
        load_arguments(arguments, body);
        oh_batch_queue_unseen(
            client, node, oh_phpredis_method("rawcommand"), LOAD_WORDS, arguments);
        free_arguments(arguments);
    }
    zend_string_release(where);
}

void oh_script_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    const zend_string *body = known_body(plan, execute_data);

    if (client->mode == OH_ATOMIC) {
        call_and_repair(client, plan, body, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        load_in_batch(client, plan->call.node, body);
        oh_client_mode(client)->call(client, &plan->call, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
