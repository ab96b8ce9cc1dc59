/*
 * Nothing is sent yet: every call is refused.
 */
#include "php_onehop.h"

#include "refuse.h"
#include "scan.h"

void oh_scan_method(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_refuse(execute_data, NULL,
        "it has no key that says which node: use plain \\Redis on the nodes that OneHop\\Topology lists");
}
