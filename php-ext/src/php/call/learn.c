/*
 * The time of the question counts towards the deadline of the call: a call that is sent immediately
 * has only the rest of it.
 */
#include "php/base/zend.h"

#include "engine/inquiry/inquiry.h"
#include "php/call/learn.h"
#include "php/call/refuse.h"
#include "php/phpredis/node_client.h"

/* The node to which a transaction or a WATCH holds a connection. */
static uint32_t held_node(const oh_client *client)
{
    for (uint32_t node = 0; client->transaction && node < client->snapshot->nodes_count; node++) {
        for (const oh_node_client *node_client = client->node_clients[node]; node_client;
            node_client = node_client->spare) {
            if (node_client->transport && oh_exchange_holds(&node_client->transport->exchange)) {
                return node;
            }
        }
    }
    return OH_INQUIRY_NO_NODE;
}

static oh_inquiry inquiry_of(const oh_client *client, const oh_plan *plan)
{
    return (oh_inquiry){.snapshot = client->snapshot,
        .node = oh_snapshot_has_keys(client->snapshot, client->any_node)
                    ? client->any_node
                    : oh_snapshot_next(client->snapshot, client->any_node),
        .timeout_ms = client->timeout_ms,
        .deadline_ns = plan->call.terms.deadline_ns,
        .held_node = held_node(client)};
}

/* ---- Refusals ---- */

/* What every refusal names: the method of the call, and the words that name its command. */
typedef struct named_call {
    const char *method, *blank;
    oh_quoted first, second;
} named_call;

static named_call name_call(zend_execute_data *execute_data, const oh_bytes *words, size_t count)
{
    named_call named = {ZSTR_VAL(execute_data->func->common.function_name), "", {""}, {""}};

    oh_quote_name(&named.first, words[0].bytes, words[0].length);
    if (count > 1) {
        named.blank = " ";
        oh_quote_name(&named.second, words[1].bytes, words[1].length);
    }
    return named;
}

static void refuse_denied(
    oh_client *client, zend_execute_data *execute_data, const oh_bytes *words, size_t count)
{
    named_call named = name_call(execute_data, words, count);
    oh_failure failure;

    oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_SAY_COMMAND_DENIED, named.method,
        named.first.text, named.blank, named.second.text);
    oh_refuse_for(client, &failure);
}

static void refuse_unasked(oh_client *client, zend_execute_data *execute_data,
    const oh_bytes *words, size_t count, const oh_quoted *answer)
{
    named_call named = name_call(execute_data, words, count);
    oh_failure failure;

    oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_SAY_COMMAND_UNASKED, named.method,
        named.first.text, named.blank, named.second.text, answer->text);
    oh_refuse_for(client, &failure);
}

static void refuse_unfound(oh_client *client, zend_execute_data *execute_data,
    const oh_bytes *words, size_t count, const oh_quoted *answer)
{
    named_call named = name_call(execute_data, words, count);
    oh_failure failure;

    oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_SAY_COMMAND_UNFOUND, named.method,
        named.first.text, named.blank, named.second.text, answer->text);
    oh_refuse_for(client, &failure);
}

/* If the script has served an interrupt during the wait, its exception is pending already. */
static void fail(oh_client *client, const oh_inquiry *inquiry)
{
    if (!EG(exception)) {
        oh_refuse_unasked(client, &inquiry->failure, inquiry->node);
    }
}

/* ---- The command ---- */

static const oh_command *open_row(oh_plan *plan, const oh_learnt *learnt)
{
    plan->learnt = emalloc(sizeof *plan->learnt);
    oh_learnt_open(plan->learnt, learnt);
    return &plan->learnt->command;
}

bool oh_learn_command(oh_client *client, zend_execute_data *execute_data, oh_plan *plan,
    const oh_bytes *words, size_t count)
{
    oh_inquiry inquiry = inquiry_of(client, plan);
    size_t names_count;
    oh_learnt learnt;

    switch (oh_inquiry_describe(&inquiry, words, count, &learnt, &names_count)) {
    case OH_INQUIRY_FAILED: fail(client, &inquiry); return false;
    case OH_INQUIRY_REFUSED:
        refuse_unasked(client, execute_data, words, names_count, &inquiry.answer);
        return false;
    case OH_INQUIRY_ANSWERED: break;
    }
    plan->call.terms.deadline_ns = inquiry.deadline_ns;
    if (learnt.kind == OH_LEARNT_RENAMED) {
        plan->command = oh_learnt_known_as(&learnt, words, count);
    } else if (learnt.kind != OH_LEARNT_UNKNOWN) {
        plan->command = open_row(plan, &learnt);
    }
    if (!plan->command) {
        refuse_denied(client, execute_data, words, names_count);
    }
    return plan->command != NULL;
}

/* ---- Its keys ---- */

bool oh_learn_keys(oh_client *client, zend_execute_data *execute_data, oh_plan *plan,
    const oh_bytes *words, size_t count, oh_key_position *positions, size_t *found)
{
    oh_inquiry inquiry = inquiry_of(client, plan);
    size_t names_count = strchr(plan->command->name, '|') ? 2 : 1;

    switch (oh_inquiry_find_keys(&inquiry, words, count, positions, found)) {
    case OH_INQUIRY_FAILED: fail(client, &inquiry); return false;
    case OH_INQUIRY_REFUSED:
        refuse_unfound(client, execute_data, words, names_count, &inquiry.answer);
        return false;
    case OH_INQUIRY_ANSWERED: break;
    }
    plan->call.terms.deadline_ns = inquiry.deadline_ns;
    return true;
}
