/* Looks for a host among the hosts of a zone, and for the zone among the labels of a host. */
#include "core/topology/zone.h"

/* True for an IP address, whose parts between dots are no labels. */
static bool is_address(oh_text host)
{
    bool is_number = true;
    for (size_t i = 0; i < host.length; i++) {
        if (host.bytes[i] == ':') {
            return true;
        }
        is_number &= host.bytes[i] == '.' || (host.bytes[i] >= '0' && host.bytes[i] <= '9');
    }
    return is_number;
}

bool oh_zone_has(const oh_zone *zone, oh_text host)
{
    return zone->name.length > 0 && host.length > 0 &&
           (oh_text_has_part(zone->hosts, ' ', host) ||
               (!is_address(host) && oh_text_has_part(host, '.', zone->name)));
}
