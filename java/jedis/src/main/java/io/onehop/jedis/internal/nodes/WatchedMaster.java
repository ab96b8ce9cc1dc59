package io.onehop.jedis.internal.nodes;

import io.onehop.core.base.Timings;
import io.onehop.core.cluster.SentinelAnswer;
import io.onehop.core.cluster.SentinelReplicas;
import io.onehop.core.cluster.SentinelVerdict;
import io.onehop.core.topology.Server.Replica;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What is known of one master that Sentinels watch, and how their next answers change that. For one
 * thread. Implements spec/topology/sentinel.md, sections 2 and 6.
 */
final class WatchedMaster {
    private static final long DOUBT_NS =
            TimeUnit.MILLISECONDS.toNanos(Timings.SENTINELS_CONTRADICT_MS);

    private final String name;
    private @Nullable SentinelVerdict known; // Null: no address is adopted yet.
    private List<Replica> replicas = List.of();
    private boolean isContradicted;
    // Since when the answers to every question have contradicted the known address.
    private long contradictedNs;

    WatchedMaster(String name) {
        this.name = name;
    }

    @Nullable SentinelVerdict known() {
        return known;
    }

    List<Replica> replicas() {
        return replicas;
    }

    /** True if no answer of a silent Sentinel can change which address is adopted. */
    boolean isCertain(List<SentinelQuestion.Said> said) {
        return SentinelVerdict.isCertain(answers(said), known);
    }

    /** True if an address is adopted. False if the known address stays. */
    boolean judge(List<SentinelQuestion.Said> said, long nowNs) {
        List<SentinelAnswer> answers = answers(said);
        SentinelVerdict adopted = SentinelVerdict.of(answers, known);
        if (SentinelVerdict.isContradicted(answers, adopted == null ? known : adopted)) {
            contradictedNs = isContradicted ? contradictedNs : nowNs;
            isContradicted = true;
            if (known != null && nowNs - contradictedNs >= DOUBT_NS) {
                adopted = SentinelVerdict.of(answers, new SentinelVerdict(known.address(), 0));
            }
        } else {
            isContradicted = false;
        }
        if (adopted != null) {
            known = adopted;
            replicas = SentinelReplicas.read(replies(said, adopted), name, adopted.address());
        }
        return adopted != null;
    }

    private static List<SentinelAnswer> answers(List<SentinelQuestion.Said> said) {
        return said.stream().map(SentinelQuestion.Said::master).toList();
    }

    private static List<byte[]> replies(List<SentinelQuestion.Said> said, SentinelVerdict adopted) {
        return said.stream()
                .filter(each -> each.master().names(adopted.address()))
                .map(SentinelQuestion.Said::replicas)
                .toList();
    }

    /**
     * Prepares for answers of other Sentinels, whose epochs cannot be compared with the known one.
     */
    void doubt(long nowNs) {
        isContradicted = true;
        contradictedNs = nowNs - DOUBT_NS;
    }
}
