package io.onehop.core.topology;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;

/**
 * The zone of a server pool (spec/config, section 7). Immutable, for any thread.
 *
 * @param name empty if the pool has no zone
 * @param hosts the hosts that are in the zone according to the configuration
 */
public record Zone(String name, Set<String> hosts) {
    /** The zone of a pool without a zone: no host is in it. */
    public static final Zone NONE = new Zone("", Set.of());

    /** True if a node announces this zone. */
    public boolean isAnnounced(String zone) {
        return !name.isEmpty() && name.equals(zone);
    }

    /** True if the host is one of {@link #hosts()}, or has the zone's name as a label. */
    public boolean has(@Nullable String host) {
        return host != null
                && !name.isEmpty()
                && (hosts.contains(host) || labels(host).contains(name));
    }

    /** The labels of a host name. An IP address has none. */
    private static List<String> labels(String host) {
        boolean isAddress = host.indexOf(':') >= 0 || host.matches("[0-9.]*");
        return isAddress ? List.of() : List.of(host.split("\\.", -1));
    }
}
