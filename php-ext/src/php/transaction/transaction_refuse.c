/*
 * Refuses a command that would leave the node, or the slot, of its transaction, with CrossNode.
 */
#include "php/base/zend.h"

#include "php/call/keys.h"
#include "php/call/refuse.h"
#include "php/transaction/transaction_internal.h"

#define PLACE_BYTES (OH_MESSAGE_BYTES_MAX + 32)

/* Names a node or, in a cluster, the slot of a key. */
static const char *name_place(
    const oh_client *client, bool has_key, uint32_t home, uint32_t node, char place[PLACE_BYTES])
{
    oh_text name = oh_topology_node(client->snapshot->topology, node).name;
    oh_quoted quoted;

    if (client->snapshot->is_cluster && has_key) {
        snprintf(place, PLACE_BYTES, OH_REASON_BOUND_SLOT, (unsigned)home);
    } else {
        snprintf(place, PLACE_BYTES, OH_REASON_BOUND_NODE,
            oh_quote_name(&quoted, name.bytes, name.length));
    }
    return place;
}

void oh_transaction_refuse_other_node(oh_client *client, oh_call_key key, uint32_t node)
{
    const oh_transaction *transaction = client->transaction;
    char own[PLACE_BYTES], place[PLACE_BYTES], by[PLACE_BYTES] = "", other[2 * PLACE_BYTES];
    oh_quoted quoted;
    oh_failure failure;

    name_place(client, transaction->key, transaction->home, transaction->node, own);
    if (transaction->key) {
        snprintf(by, sizeof by, OH_REASON_BOUND_BY,
            oh_quote_name(&quoted, ZSTR_VAL(transaction->key), ZSTR_LEN(transaction->key)));
    }
    if (key.text) {
        zend_string *name = oh_transaction_key(client, key);
        uint32_t home = oh_keys_home(client, key.text, key.is_unprefixed);

        snprintf(other, sizeof other, OH_REASON_BOUND_KEY,
            oh_quote_name(&quoted, ZSTR_VAL(name), ZSTR_LEN(name)),
            name_place(client, true, home, node, place));
        zend_string_release(name);
    } else {
        snprintf(other, sizeof other, OH_REASON_BOUND_COMMAND,
            name_place(client, false, 0, node, place));
    }
    oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_SAY_BOUND, own, by, other);
    if (client->snapshot->is_cluster) {
        failure.advice = OH_ADVICE_BOUND_IN_CLUSTER;
    } else if (!client->snapshot->pool->has_hash_tag) {
        failure.advice = OH_ADVICE_BOUND_UNTAGGED;
    }
    oh_refuse_for(client, &failure);
}
