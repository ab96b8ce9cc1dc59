package io.onehop.jedis.internal.batch;

import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Pool;

import org.jspecify.annotations.Nullable;

/** Finds the node that has taken over from one for which a call waits. Any thread. */
@FunctionalInterface
public interface Successors {
    /** The successor of {@code asked} for this home; {@code null} if none is known. */
    @Nullable Pool of(Pool asked, int home, Deadline deadline);
}
