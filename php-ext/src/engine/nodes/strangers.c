/*
 * Answers without any node of the map: of another cluster, or of one that was set up again. They
 * are doubted until all nodes of the map were asked, and none has answered.
 *
 * Implements spec/topology/cluster.md, section 4.
 */
#include "engine/nodes/nodes_internal.h"

#include <syslog.h>

#include "engine/base/log.h"

bool oh_strangers_are_believed(oh_nodes *nodes, bool is_trusting, bool is_foreign)
{
    if (!is_foreign || is_trusting) {
        return true;
    }
    if (nodes->strangers == OH_STRANGERS_BELIEVED) {
        oh_log_note(LOG_WARNING,
            "OneHop: server pool %s goes over to another Redis Cluster: no node of the one before "
            "answers, and the nodes that do are none of its",
            nodes->seeds->pool->name.bytes);
        return true;
    }
    nodes->strangers = OH_STRANGERS_DOUBTED;
    return false;
}

void oh_strangers_note(oh_nodes *nodes, bool has_known, bool asked_all)
{
    if (has_known) {
        nodes->strangers = OH_STRANGERS_NONE;
    } else if (asked_all) {
        nodes->strangers = OH_STRANGERS_BELIEVED;
    }
}
