package io.onehop.test;

import java.util.function.BooleanSupplier;

/** Waits for what servers do by themselves. */
final class Waiting {
    private static final int EACH_MS = 5;
    private static final int MOST = 12_000; // Together one minute.

    private Waiting() {}

    /** Returns as soon as the condition is true; fails after a minute. */
    static void until(String what, BooleanSupplier condition) {
        for (int tries = 0; !condition.getAsBoolean(); tries++) {
            if (tries == MOST) {
                throw new IllegalStateException("for a minute it was not true that " + what);
            }
            try {
                Thread.sleep(EACH_MS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted before " + what, interrupted);
            }
        }
    }
}
