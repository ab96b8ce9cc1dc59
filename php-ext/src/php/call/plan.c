/*
 * Helpers that all planners share.
 */
#include "php/base/zend.h"

#include "engine/exchange/exchange.h"
#include "php/call/plan.h"

bool oh_plan_keyless(const oh_client *client, oh_plan *plan)
{
    if (!client->snapshot->is_cluster && client->snapshot->masters_count > 1) {
        return false;
    }
    plan->spread = client->snapshot->is_cluster ? OH_SPREAD_ANY_NODE : OH_SPREAD_ONE_NODE;
    plan->call.node = 0;
    return true;
}

void oh_plan_wait(oh_plan *plan, double timeout)
{
    double milliseconds = plan->command->blocking.is_milliseconds ? timeout : timeout * 1000;

    plan->call.terms.block_ms = !(milliseconds > 0) ? OH_BLOCK_FOR_EVER
                                : milliseconds < 1  ? 1
                                                    : (uint32_t)MIN(milliseconds, INT32_MAX);
    if (plan->spread == OH_SPREAD_SPLIT) {
        plan->spread = OH_SPREAD_ONE_NODE;
    }
}

void oh_plan_free(oh_plan *plan)
{
    if (plan->call.key.text) {
        zend_string_release(plan->call.key.text);
        plan->call.key.text = NULL;
    }
    if (plan->split) {
        oh_split_free(plan->split);
        plan->split = NULL;
    }
    if (plan->learnt) {
        efree(plan->learnt);
        plan->learnt = NULL;
    }
}
