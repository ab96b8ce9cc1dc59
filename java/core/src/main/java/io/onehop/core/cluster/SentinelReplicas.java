package io.onehop.core.cluster;

import io.onehop.core.topology.Replica;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The replicas of one master that may answer reads, as one Sentinel names them.
 *
 * <p>Implements spec/topology/sentinel.md, section 6.
 */
public final class SentinelReplicas {
    private static final Set<String> UNWELL = Set.of("s_down", "o_down", "disconnected");

    private SentinelReplicas() {}

    /**
     * The replicas in a reply to REPLICAS, in the order of the reply; empty if it names none.
     *
     * @param master the name of the master
     * @param adopted its address, which is no replica
     */
    public static List<Replica> read(byte[] reply, String master, String adopted) {
        List<Replica> replicas = new ArrayList<>();
        ClusterValues values = new ClusterValues(reply);
        if (!values.skip() || !values.hasEnded()) {
            return replicas;
        }
        values.goTo(0);
        values.take();
        long count = values.kind == ClusterValues.Kind.LIST ? values.number : 0;
        for (long i = 0; i < count; i++) {
            int at = values.position();
            Replica replica = replica(values, master);
            if (replica != null && !replica.name().equals(adopted)) {
                replicas.add(replica);
            }
            values.goTo(at);
            values.skip();
        }
        return replicas;
    }

    private static @Nullable Replica replica(ClusterValues values, String master) {
        Map<String, String> said = said(values);
        if (!isWell(said)) {
            return null;
        }
        String host = said.getOrDefault("ip", "");
        long port = SentinelAnswer.number(said.getOrDefault("port", ""));
        return SentinelAnswer.isAddress(host, port) ? new Replica(host, (int) port, master) : null;
    }

    /** The first text of each name; empty if the next value is no list of names and values. */
    private static Map<String, String> said(ClusterValues values) {
        values.take();
        long count = values.number;
        if (values.kind != ClusterValues.Kind.LIST || count % 2 != 0) {
            return Map.of();
        }
        Map<String, String> said = new HashMap<>();
        for (long i = 0; i < count; i += 2) {
            String name = SentinelAnswer.text(values);
            if (name == null) {
                return Map.of();
            }
            int at = values.position();
            String value = SentinelAnswer.text(values);
            if (value != null) {
                said.putIfAbsent(name, value);
            }
            values.goTo(at);
            values.skip();
        }
        return said;
    }

    /** True if it follows its master, as far as the Sentinel knows. */
    private static boolean isWell(Map<String, String> said) {
        String flags = said.get("flags");
        return flags != null
                && List.of(flags.split(",", -1)).stream().noneMatch(UNWELL::contains)
                && said.getOrDefault("master-link-status", "ok").equals("ok");
    }
}
