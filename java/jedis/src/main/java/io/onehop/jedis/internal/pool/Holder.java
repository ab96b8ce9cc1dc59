package io.onehop.jedis.internal.pool;

import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;

/**
 * The call, batch, transaction or subscription that leases connections.
 *
 * <p>It is over when it sets one field, in a {@code finally} block. That store needs neither stack
 * nor memory, so it also works after a StackOverflowError, when no method can be called to settle.
 * Any thread may take the seats of a holder that is over ({@link Seats}). A holder that is over
 * stays over; the next lease has a new holder.
 */
public class Holder {
    private final @Nullable WeakReference<Object> held;
    public volatile boolean isOver;

    public Holder() {
        this.held = null;
    }

    /**
     * For an object that its caller has to close. The holder is also over if that object was
     * garbage collected without being closed.
     */
    public Holder(Object closeable) {
        this.held = new WeakReference<>(closeable);
    }

    boolean isOver() {
        return isOver || held != null && held.refersTo(null);
    }
}
