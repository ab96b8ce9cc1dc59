package io.onehop.jedis;

import java.lang.ref.WeakReference;

/**
 * Whoever leases connections: a call, a batch, a transaction, a subscription.
 *
 * <p>It says by one field that it is over, in a {@code finally} block: a store needs no stack and no memory, and so it
 * comes to pass after a StackOverflowError, too, when nothing can be called that would settle. What an over holder still
 * has is anybody's ({@link Seats}). Who holds connections is over for good; another lease is another holder's.
 */
class Holder {
    private final WeakReference<Object> held;
    volatile boolean isOver;

    Holder() {
        this.held = null;
    }

    /** Of something that its caller has to close; over, too, when the caller has dropped it without. */
    Holder(Object closeable) {
        this.held = new WeakReference<>(closeable);
    }

    boolean isOver() {
        return isOver || held != null && held.refersTo(null);
    }
}
