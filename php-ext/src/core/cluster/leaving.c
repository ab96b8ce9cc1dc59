/*
 * What may be sent again may leave; what was sent and may have been executed stays.
 */
#include "core/cluster/leaving.h"

oh_leaving oh_leaving_decide(const oh_leaving_case *it)
{
    bool may_leave = !it->is_sent || (it->may_repeat && !it->has_heard && !it->is_blocking);
    uint64_t half_ns = it->timeout_ms * UINT64_C(500000);

    if (it->is_bound || !may_leave) {
        return OH_LEAVING_STAY;
    }
    if (it->has_successor) {
        return OH_LEAVING_FOR_SUCCESSOR;
    }
    return it->has_fallback && it->may_repeat && it->timeout_ms && it->left_ns <= half_ns
               ? OH_LEAVING_FOR_FALLBACK
               : OH_LEAVING_STAY;
}
