package io.onehop.jedis.lab;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Captures the client's log while this is open. */
public final class Log extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger("io.onehop");
    private final List<String> lines = new CopyOnWriteArrayList<>();

    public Log() {
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    @Override
    public void publish(LogRecord record) {
        lines.add(
                (record.getLevel() == Level.WARNING
                                ? "warning: "
                                : record.getLevel() == Level.INFO ? "info: " : "else: ")
                        + record.getMessage());
    }

    /** All lines since the last call of this method. */
    public List<String> taken() {
        List<String> taken = List.copyOf(lines);
        lines.removeAll(taken);
        return taken;
    }

    @Override
    public void flush() {
        // There is no buffer.
    }

    @Override
    public void close() {
        logger.setUseParentHandlers(true);
        logger.removeHandler(this);
    }
}
