package io.onehop.cli;

import io.onehop.core.base.Clock;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A bar on stderr, if that is a terminal, for what takes more than a second. */
final class Progress implements AutoCloseable {
    private static final long FIRST_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long EVERY_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int WIDTH = 30;

    private final Screen screen;
    private final String what;
    private final double total; // 0 if nobody knows it.
    private double done;
    private long nextNs = Clock.nowNs() + FIRST_NS;
    private boolean isShown;

    Progress(Screen screen, String what, double total) {
        this.screen = screen;
        this.what = what;
        this.total = total;
    }

    void step(double more) {
        done += more;
        if (screen.isProgressShown && Clock.nowNs() - nextNs > 0) {
            nextNs = Clock.nowNs() + EVERY_NS;
            isShown = true;
            screen.err.print("\r\033[K" + shown());
            screen.err.flush();
        }
    }

    private String shown() {
        if (total <= 0) {
            return String.format(Locale.ROOT, "%s: %,d", what, (long) done);
        }
        double part = Math.min(1, done / total);
        String bar = screen.bar(part, WIDTH);
        return String.format(
                Locale.ROOT,
                "%s [%s%s] %.0f %%",
                what,
                bar,
                " ".repeat(WIDTH - bar.length()),
                100 * part);
    }

    @Override
    public void close() {
        if (isShown) {
            screen.err.print("\r\033[K");
            screen.err.flush();
        }
    }
}
