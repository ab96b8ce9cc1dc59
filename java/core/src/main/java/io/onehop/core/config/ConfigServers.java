package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.topology.Server;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The servers of a list that is being read: their names, slots and weights exclude others. */
final class ConfigServers {
    private final List<Server> servers = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private long weights; // Added up.

    /** Those without an error, in the order of the file. */
    List<Server> all() {
        return servers;
    }

    boolean has(String name) {
        return names.contains(name);
    }

    /** True if one of them has a slot of this server. */
    boolean hasSlotOf(Server server) {
        return servers.stream().anyMatch(each -> each.slots().intersects(server.slots()));
    }

    /** False if the weights would add up to too much. */
    boolean add(Server server) {
        if (weights + server.weight() > Limits.WEIGHTS_SUM_MAX) {
            return false;
        }
        names.add(server.name());
        weights += server.weight();
        servers.add(server);
        return true;
    }
}
