package io.onehop.core.cluster;

import io.onehop.core.topology.Server.Replica;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The replicas of one master that may answer reads, as most Sentinels name them.
 *
 * <p>Implements spec/topology/sentinel.md, section 6.
 */
public final class SentinelReplicas {
    private static final Set<String> UNWELL = Set.of("s_down", "o_down", "disconnected");

    private SentinelReplicas() {}

    /**
     * The replicas that more than half of the replies to REPLICAS name, in no special order.
     *
     * @param replies the replies of those Sentinels that name the adopted address
     * @param master the name of the master
     * @param adopted its address, which is not a replica
     */
    public static List<Replica> read(List<byte[]> replies, String master, String adopted) {
        Map<Replica, Integer> counts = new HashMap<>();
        for (byte[] reply : replies) {
            named(reply, master, adopted).forEach(each -> counts.merge(each, 1, Integer::sum));
        }
        return counts.entrySet().stream()
                .filter(each -> each.getValue() * 2 > replies.size())
                .map(Map.Entry::getKey)
                .toList();
    }

    private static Set<Replica> named(byte[] reply, String master, String adopted) {
        Set<Replica> replicas = new HashSet<>();
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
        Map<String, String> fields = SentinelAnswer.fields(values);
        if (fields == null || !isWell(fields)) {
            return null;
        }
        String host = fields.getOrDefault("ip", "");
        long port = SentinelAnswer.number(fields.getOrDefault("port", ""));
        return SentinelAnswer.isAddress(host, port) ? new Replica(host, (int) port, master) : null;
    }

    /** True if the replica follows its master, as far as the Sentinel knows. */
    private static boolean isWell(Map<String, String> fields) {
        String flags = fields.get("flags");
        return flags != null
                && List.of(flags.split(",", -1)).stream().noneMatch(UNWELL::contains)
                && fields.getOrDefault("master-link-status", "ok").equals("ok");
    }
}
