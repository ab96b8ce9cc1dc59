package io.onehop.core.command;

import io.onehop.core.base.Clock;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Timings;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Cursors of nodes that are too large for a {@link ScanCursor}. There a ticket takes the place of
 * the node's cursor.
 *
 * <p>A ticket is computed from its cursor, so it is never taken for the ticket of another cursor. A
 * cursor has a few places where it may be kept. It takes the place that was not used for the
 * longest time. Any number of threads.
 */
public final class KeptCursors {
    private static final int NEAR = Limits.KEPT_CURSORS_NEAR;

    // For each place its cursor (0: none) and when it was last used. Made when it is needed.
    private volatile @Nullable AtomicLongArray places;

    /** Keeps the cursor of a node if it is too large for a scan cursor. */
    public void keep(long own) {
        if (!ScanCursor.isTicket(own)) {
            return;
        }
        AtomicLongArray all = places();
        int first = near(ScanCursor.ticket(own));
        int oldest = first;
        for (int at = first; at < first + NEAR; at++) {
            if (all.get(2 * at) == own) {
                oldest = at;
                break;
            }
            if (all.get(2 * at + 1) < all.get(2 * oldest + 1)) {
                oldest = at;
            }
        }
        all.set(2 * oldest + 1, nowMs());
        all.set(2 * oldest, own);
    }

    /** The cursor that this ticket stands for; {@code null} if it is no longer kept. */
    public @Nullable Long find(long within) {
        if (!ScanCursor.isTicket(within)) {
            return within;
        }
        AtomicLongArray all = places();
        int first = near(within);
        for (int at = first; at < first + NEAR; at++) {
            long own = all.get(2 * at);
            if (ScanCursor.isTicket(own)
                    && ScanCursor.ticket(own) == within
                    && nowMs() - all.get(2 * at + 1) < Timings.KEPT_CURSOR_MS) {
                all.set(2 * at + 1, nowMs());
                return own;
            }
        }
        return null;
    }

    private static int near(long ticket) {
        return (int) (ticket % (Limits.KEPT_CURSORS_MAX / NEAR)) * NEAR;
    }

    private AtomicLongArray places() {
        AtomicLongArray made = places;
        if (made == null) {
            synchronized (this) {
                made = places == null ? new AtomicLongArray(2 * Limits.KEPT_CURSORS_MAX) : places;
                places = made;
            }
        }
        return made;
    }

    private static long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(Clock.nowNs());
    }
}
