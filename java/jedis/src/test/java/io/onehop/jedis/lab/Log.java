package io.onehop.jedis.lab;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the client tells the log while this is open; it goes no further. */
public final class Log extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger("io.onehop");
    private final List<String> lines = new CopyOnWriteArrayList<>();

    public Log() {
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    @Override
    public void publish(LogRecord told) {
        lines.add(
                (told.getLevel() == Level.WARNING
                                ? "warning: "
                                : told.getLevel() == Level.INFO ? "info: " : "else: ")
                        + told.getMessage());
    }

    /** Everything since the last time this was asked. */
    public List<String> taken() {
        List<String> taken = List.copyOf(lines);
        lines.removeAll(taken);
        return taken;
    }

    @Override
    public void flush() {
        // Nothing is kept back.
    }

    @Override
    public void close() {
        logger.setUseParentHandlers(true);
        logger.removeHandler(this);
    }
}
