/*
 * The steps of a transaction: bind it to a node, make calls of phpredis on the reserved node
 * client, end it.
 */
#include "php/base/zend.h"

#include "php/call/keys.h"
#include "php/exception/exception.h"
#include "php/transaction/transaction.h"

oh_transaction *oh_transaction_new(void)
{
    oh_transaction *transaction = ecalloc(1, sizeof *transaction);

    oh_queued_promise_begin(&transaction->promise, &transaction->queued);
    return transaction;
}

/* ---- Ending ---- */

oh_transaction *oh_transaction_take(oh_client *client)
{
    oh_transaction *transaction = client->transaction;

    client->transaction = NULL;
    client->mode = client->batch ? OH_PIPELINE : OH_ATOMIC;
    return transaction;
}

void oh_transaction_release(oh_transaction *transaction, bool is_clean)
{
    oh_node_client *node_client = transaction->node_client;

    if (node_client) {
        if (node_client->transport) {
            oh_exchange_give_back(&node_client->transport->exchange, is_clean);
        }
        node_client->is_reserved = false;
        node_client->is_spent |= !is_clean;
    }
    if (transaction->key) {
        zend_string_release(transaction->key);
    }
    if (transaction->ending) {
        efree(transaction->ending);
    }
    oh_queued_promise_end(&transaction->promise);
    efree(transaction);
}

void oh_transaction_drop(oh_client *client)
{
    if (client->transaction) {
        oh_transaction_release(oh_transaction_take(client), false);
    }
}

bool oh_transaction_forget_refusal(oh_client *client)
{
    bool is_refused = client->transaction && client->transaction->ending;

    if (is_refused) {
        oh_transaction_drop(client);
    }
    return is_refused;
}

void oh_transaction_spoil(oh_client *client, const oh_failure *cause, bool is_refusal)
{
    oh_mode_kind mode = client->mode;
    size_t advice_length = strlen(cause->advice);
    oh_ending *ending = safe_emalloc(1, advice_length, sizeof *ending + 1);
    oh_transaction *ended = oh_transaction_new();

    ending->failure = *cause;
    ending->is_refusal = is_refusal;
    memcpy(ending->advice, cause->advice, advice_length + 1);
    ending->failure.advice = ending->advice;
    ended->node = client->transaction->node;
    ended->ending = ending;
    oh_transaction_drop(client);
    client->transaction = ended;
    client->mode = mode;
}

void oh_transaction_on_refusal(oh_client *client, const oh_failure *refusal)
{
    oh_failure cause;

    if (!client->transaction->ending) {
        oh_failure_set(&cause, OH_OUTCOME_NOT_SENT, refusal->kind, refusal->advice,
            OH_WHAT_DISCARDED, refusal->what);
        oh_transaction_spoil(client, &cause, true);
    }
}

/*
 * The node has lost or refused the transaction: it is over, as with phpredis. No EXEC was sent, so
 * nothing was executed.
 */
static void fail_on_node_client(oh_client *client, oh_node_client *node_client)
{
    node_client->failure.outcome = OH_OUTCOME_NOT_SENT;
    node_client->failure.advice = OH_ADVICE_AGAIN;
    zend_object *exception = oh_node_client_failure(node_client);

    oh_transaction_drop(client);
    oh_failure_throw(exception);
}

static void throw_again(const oh_client *client, const oh_failure *failure)
{
    const oh_snapshot *snapshot = client->snapshot;
    const oh_transaction *transaction = client->transaction;
    oh_node node = oh_topology_node(snapshot->topology, transaction->node);

    oh_failure_throw(oh_failure_exception(
        failure, transaction->ending->is_refusal ? NULL : &node, snapshot->pool->name.bytes, NULL));
}

void oh_transaction_throw_again(oh_client *client)
{
    const oh_failure *cause = &client->transaction->ending->failure;
    oh_failure failure = *cause;
    char *advice = NULL;

    spprintf(&advice, 0, OH_REASON_END_TRANSACTION, cause->advice);
    failure.advice = advice;
    throw_again(client, &failure);
    efree(advice);
}

void oh_transaction_throw_last(oh_client *client)
{
    throw_again(client, &client->transaction->ending->failure);
    oh_transaction_drop(client);
}

/* ---- Its node ---- */

bool oh_transaction_is_elsewhere(const oh_client *client, oh_call_key key, uint32_t node)
{
    const oh_transaction *transaction = client->transaction;

    if (transaction->node != node) {
        return true;
    }
    return client->snapshot->is_cluster && key.text && transaction->key &&
           oh_keys_home(client, key.text, key.is_unprefixed) != transaction->home;
}

zend_string *oh_transaction_key(const oh_client *client, oh_call_key key)
{
    return client->prefix && !key.is_unprefixed
               ? zend_string_concat2(ZSTR_VAL(client->prefix), ZSTR_LEN(client->prefix),
                     ZSTR_VAL(key.text), ZSTR_LEN(key.text))
               : zend_string_copy(key.text);
}

void oh_transaction_note_place(oh_client *client, uint32_t node, oh_call_key key)
{
    oh_transaction *transaction = client->transaction;

    transaction->node = node;
    transaction->key = key.text ? oh_transaction_key(client, key) : NULL;
    transaction->home = key.text ? oh_keys_home(client, key.text, key.is_unprefixed) : 0;
}

bool oh_transaction_bind(oh_client *client, uint32_t node, oh_call_key key)
{
    oh_node_client *node_client = oh_node_client_take(client, node);

    if (!node_client) {
        return false;
    }
    if (!client->transaction) {
        client->transaction = oh_transaction_new();
    }
    node_client->is_reserved = true;
    oh_exchange_keep(&node_client->transport->exchange);
    client->transaction->node_client = node_client;
    oh_transaction_note_place(client, node, key);
    return true;
}

/* ---- A step ---- */

/*
 * Steps may be nested: while phpredis packs a value, code of the script may queue another command.
 */
bool oh_transaction_begin_step(oh_node_client *node_client, oh_call_terms terms)
{
    bool is_inner = node_client->is_busy;

    oh_node_client_enter(node_client, &terms, NULL);
    return is_inner;
}

static bool is_on(const oh_client *client, const oh_node_client *node_client)
{
    return client->transaction && client->transaction->node_client == node_client;
}

bool oh_transaction_end_step(oh_client *client, oh_node_client *node_client, bool is_inner)
{
    if (oh_node_client_has_failed(node_client) && is_on(client, node_client) &&
        !oh_is_script_ending()) {
        fail_on_node_client(client, node_client);
    }
    oh_node_client_leave(node_client);
    if (!is_on(client, node_client)) {
        return false;
    }
    if (is_inner && node_client->transport) {
        oh_node_client_enter_again(node_client);
    }
    return true;
}

/*
 * MULTI is sent alone: a node that refuses MULTI would immediately execute a command that is sent
 * after it, outside a transaction.
 */
bool oh_transaction_send_multi(oh_client *client)
{
    oh_node_client *node_client = client->transaction->node_client;
    bool is_inner = oh_transaction_begin_step(node_client, (oh_call_terms){.is_read_only = true});
    bool is_begun = oh_node_client_invoke(node_client, "multi") == IS_OBJECT;

    if (!is_begun && node_client->transport &&
        oh_exchange_holds(&node_client->transport->exchange)) {
        const oh_exchange *exchange = &node_client->transport->exchange;
        oh_text error = oh_exchange_has_error_reply(exchange)
                            ? oh_exchange_held_error_reply(exchange)
                            : (oh_text){"", 0};

        oh_exchange_say_multi_refused(&node_client->failure, OH_OUTCOME_NOT_SENT, error);
        fail_on_node_client(client, node_client);
    }
    /* A signal handler of the script may have ended the transaction. */
    if (is_on(client, node_client)) {
        client->transaction->is_begun = is_begun;
    }
    return oh_transaction_end_step(client, node_client, is_inner) && is_begun;
}
