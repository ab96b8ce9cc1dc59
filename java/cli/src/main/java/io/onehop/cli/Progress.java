package io.onehop.cli;

import io.onehop.core.base.Clock;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * If stderr is a terminal, shows a bar there for work of more than a second: how far the work is,
 * and how long the rest will take. Any thread.
 */
final class Progress implements AutoCloseable {
    private static final long FIRST_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long EVERY_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int WIDTH = 30;

    private final Screen screen;
    private final String what;
    private final double total; // 0 if it is not known.
    private final Supplier<String> more; // What else to show; may be empty.
    private final long beganNs = Clock.nowNs();
    private double done;
    private long nextNs = beganNs + FIRST_NS;
    private boolean isShown;

    Progress(Screen screen, String what, double total) {
        this(screen, what, total, () -> "");
    }

    Progress(Screen screen, String what, double total, Supplier<String> more) {
        this.screen = screen;
        this.what = what;
        this.total = total;
        this.more = more;
    }

    synchronized void step(double further) {
        done += further;
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
        double part = Math.min(1, Math.max(done, 1) / total);
        String bar = screen.bar(part, WIDTH);
        return String.format(
                Locale.ROOT,
                "%s [%s%s] %.0f %%, %s left%s",
                what,
                bar,
                " ".repeat(WIDTH - bar.length()),
                100 * part,
                Screen.duration((Clock.nowNs() - beganNs) / 1e9 * (1 / part - 1)),
                more.get());
    }

    @Override
    public synchronized void close() {
        if (isShown) {
            screen.err.print("\r\033[K");
            screen.err.flush();
        }
    }
}
