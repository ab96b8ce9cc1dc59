package io.onehop.jedis;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * The meters of one registry. Clients whose meters have the same name and tags share these meters.
 * Otherwise a registry would ignore the meter of the second client, and would lose the only meter
 * when the first client is closed.
 *
 * <p>In: members that join and leave. Out: meters that exist as long as there is a member. Any
 * thread.
 */
final class MeterGroups {
    private static final Map<MeterRegistry, MeterGroups> OF = new WeakHashMap<>();

    /** What a client shows: the name and tags of its meters, and whose numbers they are. */
    record Membership(String name, Tags tags, Object member) {}

    private record Key(String name, Tags tags) {}

    /** The members that share some meters. */
    static final class Group<M> {
        private final Map<Object, M> members = new ConcurrentHashMap<>();
        private final List<Meter> meters = new ArrayList<>();
        // The counts of members that have left, because a sum must not shrink.
        private final Map<ToDoubleFunction<M>, Double> left = new ConcurrentHashMap<>();

        void add(Meter meter) {
            meters.add(meter);
        }

        /** The sum of a counter. It never shrinks, not even when members leave. */
        double count(ToDoubleFunction<M> counter) {
            return left.getOrDefault(counter, 0.0) + sum(counter);
        }

        /** From now on remembers what this counter has counted for members that leave. */
        void keep(ToDoubleFunction<M> counter) {
            left.put(counter, 0.0);
        }

        double sum(ToDoubleFunction<M> value) {
            return members.values().stream().mapToDouble(value).sum();
        }

        double least(ToDoubleFunction<M> value) {
            return members.values().stream().mapToDouble(value).min().orElse(Double.NaN);
        }

        double most(ToDoubleFunction<M> value) {
            return members.values().stream().mapToDouble(value).max().orElse(Double.NaN);
        }

        private void remove(Object key) {
            M member = members.get(key);
            if (member != null) {
                left.replaceAll((counter, sum) -> sum + counter.applyAsDouble(member));
                members.remove(key);
            }
        }
    }

    private final Map<Key, Group<?>> groups = new HashMap<>();

    static MeterGroups of(MeterRegistry registry) {
        synchronized (OF) {
            return OF.computeIfAbsent(registry, first -> new MeterGroups());
        }
    }

    /**
     * Adds a member. True if it was not a member before; otherwise {@code shown} replaces what it
     * showed. {@code register} registers the meters of a new group.
     */
    @SuppressWarnings("unchecked") // All groups of a name have members of one type.
    synchronized <M> boolean join(Membership it, M shown, Consumer<Group<M>> register) {
        Key key = new Key(it.name, it.tags);
        Group<M> group = (Group<M>) groups.get(key);
        if (group == null) {
            group = new Group<>();
            groups.put(key, group);
            group.members.put(it.member, shown);
            register.accept(group);
            return true;
        }
        return group.members.put(it.member, shown) == null;
    }

    synchronized void leave(Membership it, MeterRegistry registry) {
        Key key = new Key(it.name, it.tags);
        Group<?> group = groups.get(key);
        if (group != null) {
            group.remove(it.member);
            if (group.members.isEmpty()) {
                groups.remove(key);
                group.meters.forEach(registry::remove);
            }
        }
    }
}
