package io.onehop.core.cluster;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Which address of a master is adopted after the answers of all Sentinels of a pool. The majority
 * decides, then the newest epoch.
 *
 * <p>Implements spec/topology/sentinel.md, section 2.
 *
 * @param address {@code host:port}
 * @param epoch the highest epoch that more than half of the Sentinels that name the address have
 *     reached
 */
public record SentinelVerdict(String address, long epoch) {

    /** What the Sentinels that are not stale say about one address. */
    private record Candidate(
            String address, long epoch, long support, boolean hasMajority, boolean isKnown) {
        boolean isBetterThan(Candidate other) {
            if (hasMajority != other.hasMajority) {
                return hasMajority;
            }
            if (epoch != other.epoch) {
                return epoch > other.epoch;
            }
            return support != other.support ? support > other.support : isKnown && !other.isKnown;
        }
    }

    /**
     * The address to adopt, or {@code null} if the known address stays. {@code answers}: one answer
     * for each Sentinel, also for silent ones. {@code known}: what was adopted before, or {@code
     * null}.
     */
    public static @Nullable SentinelVerdict of(
            List<SentinelAnswer> answers, @Nullable SentinelVerdict known) {
        String first = answers.get(0).address();
        boolean doAllAgree = answers.stream().allMatch(answer -> answer.names(first));
        long least = known == null || doAllAgree ? 0 : known.epoch;
        List<SentinelAnswer> heard =
                answers.stream()
                        .filter(answer -> answer.reason() == null && answer.epoch() >= least)
                        .toList();
        Candidate best = null;
        for (SentinelAnswer answer : heard) {
            Candidate candidate = candidate(answer.address(), heard, known);
            best = best == null || candidate.isBetterThan(best) ? candidate : best;
        }
        return best == null ? null : new SentinelVerdict(best.address, best.epoch);
    }

    private static Candidate candidate(
            String address, List<SentinelAnswer> heard, @Nullable SentinelVerdict known) {
        List<SentinelAnswer> supporters =
                heard.stream().filter(answer -> answer.names(address)).toList();
        long[] epochs = supporters.stream().mapToLong(SentinelAnswer::epoch).sorted().toArray();
        long epoch = epochs[(epochs.length - 1) / 2];
        return new Candidate(
                address,
                epoch,
                supporters.size(),
                supporters.size() * 2 > heard.size(),
                known != null && known.address.equals(address));
    }

    /** True if no answer of a silent Sentinel can change which address is adopted. */
    public static boolean isCertain(List<SentinelAnswer> answers, @Nullable SentinelVerdict known) {
        return majority(answers, known == null ? 0 : known.epoch) != null;
    }

    /** True if most Sentinels name another address than {@code now}, the known address. */
    public static boolean isContradicted(
            List<SentinelAnswer> answers, @Nullable SentinelVerdict now) {
        String most = majority(answers, 0);
        return most != null && (now == null || !most.equals(now.address));
    }

    /**
     * The address that more than half of all Sentinels name with this epoch or a newer one, or
     * {@code null}.
     */
    private static @Nullable String majority(List<SentinelAnswer> answers, long least) {
        for (SentinelAnswer each : answers) {
            String address = each.address();
            long support =
                    answers.stream()
                            .filter(other -> other.names(address) && other.epoch() >= least)
                            .count();
            if (support * 2 > answers.size()) {
                return address;
            }
        }
        return null;
    }
}
