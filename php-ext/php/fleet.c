/*
 * Nothing is sent yet: every call is refused.
 */
#include "php_onehop.h"

#include "fleet.h"
#include "refuse.h"

void oh_fleet_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_refuse(execute_data, plan->command,
        "it has no key that says which node: use plain \\Redis on the nodes that OneHop\\Topology lists");
}
