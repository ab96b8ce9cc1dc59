/*
 * The words of CrossNode where a command would leave the node, or the slot, of its transaction.
 */
#include "php_onehop.h"

#include "php/call/keys.h"
#include "php/call/refuse.h"
#include "php/transaction/transaction_internal.h"

/* A node; or the slot of a key, where that says more. */
static void quote_place(
    oh_failure *failure, const oh_client *client, bool has_key, uint32_t home, uint32_t node)
{
    oh_node view = oh_topology_node(client->snapshot->topology, node);
    char slot[32];

    if (client->snapshot->cluster && has_key) {
        snprintf(slot, sizeof slot, "slot %u", (unsigned)home);
        oh_failure_append(failure, slot);
    } else {
        oh_failure_show(failure, view.name.bytes, view.name.length);
    }
}

static void quote_key(oh_failure *failure, const zend_string *key)
{
    oh_failure_append(failure, "key \"");
    oh_failure_show(failure, ZSTR_VAL(key), ZSTR_LEN(key));
    oh_failure_append(failure, "\"");
}

void oh_transaction_refuse_other_node(oh_client *client, oh_call_key key, uint32_t node)
{
    const oh_transaction *transaction = client->transaction;
    bool is_cluster = client->snapshot->cluster;
    oh_failure failure;

    oh_failure_set(&failure, OH_ERROR_CROSS_NODE, OH_OUTCOME_NOT_SENT,
        is_cluster ? "give its keys a common hash tag, so that they share a slot"
                   : "give its keys a common hash tag, so that they share a node",
        "The transaction is bound to %s", is_cluster && transaction->key ? "" : "node ");
    quote_place(&failure, client, transaction->key, transaction->home, transaction->node);
    if (transaction->key) {
        oh_failure_append(&failure, " by ");
        quote_key(&failure, transaction->key);
    }
    oh_failure_append(&failure, ", but ");
    if (key.text) {
        zend_string *name = oh_transaction_key(client, key);

        quote_key(&failure, name);
        zend_string_release(name);
        oh_failure_append(&failure, is_cluster ? " lives in " : " lives on ");
        quote_place(
            &failure, client, true, oh_keys_home(client, key.text, key.is_unprefixed), node);
    } else {
        oh_failure_append(&failure, "this command goes to ");
        quote_place(&failure, client, false, 0, node);
    }
    oh_refuse_for(client, &failure);
}
