package io.onehop.core.health;

import io.onehop.core.base.Limits;
import io.onehop.core.base.Timings;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The errors of one node in the last five minutes: a ring of slots of 30 seconds.
 *
 * <p>Instants are milliseconds of a clock that cannot be set. Any thread. Implements spec/meter,
 * section 4.
 */
public final class RecentErrors {
    /*
     * Each place has the number of a slot of time and the errors in that slot, 32 bits each. The
     * first error of a later slot starts the place again.
     */
    private static final long COUNT = 0xffffffffL;

    private final AtomicLongArray places = new AtomicLongArray(Limits.RECENT_SLOTS);

    /** Counts an error. */
    public void count(long nowMs) {
        long slot = nowMs / Timings.RECENT_SLOT_MS;
        places.updateAndGet(
                (int) (slot % Limits.RECENT_SLOTS),
                place -> place >>> 32 == slot ? place + 1 : slot << 32 | 1);
    }

    /** The errors in the present slot and the nine before it. */
    public long sum(long nowMs) {
        long sum = 0;
        for (int i = 0; i < Limits.RECENT_SLOTS; i++) {
            long place = places.get(i);
            long age = nowMs / Timings.RECENT_SLOT_MS - (place >>> 32);
            sum += 0 <= age && age < Limits.RECENT_SLOTS ? place & COUNT : 0;
        }
        return sum;
    }
}
