package io.onehop.jedis.internal.pool;

import java.lang.ref.WeakReference;

/**
 * The call, batch, transaction or subscription that leases connections.
 *
 * <p>A holder is over when its field {@code isOver} is set, in a {@code finally} block. That store
 * needs neither stack nor memory, so it also works after a StackOverflowError, when no method can
 * be called to settle. Any thread may take the seats of a holder that is over ({@link Seats}). A
 * holder that is over stays over; the next lease has a new holder.
 */
public class Holder {
    public volatile boolean isOver;

    /**
     * The holder of an object that its caller has to close. The holder is also over if that object
     * was garbage collected without being closed.
     */
    public static Holder of(Object closeable) {
        WeakReference<Object> held = new WeakReference<>(closeable);
        return new Holder() {
            @Override
            boolean isOver() {
                return super.isOver() || held.refersTo(null);
            }
        };
    }

    boolean isOver() {
        return isOver;
    }
}
