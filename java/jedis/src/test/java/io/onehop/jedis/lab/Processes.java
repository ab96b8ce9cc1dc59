package io.onehop.jedis.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Processes and ports of tests. */
public final class Processes {

    private Processes() {}

    /** Sends a signal such as {@code STOP} to one process. */
    public static void signal(long pid, String name) {
        Lab.ask("signal", "pid", pid, "number", name);
    }

    /**
     * Stops a process, and waits until all its threads have stopped: on a busy machine some threads
     * go on for a while.
     */
    public static void stop(long pid) {
        signal(pid, "STOP");
        while (!isStopped(pid)) {
            pause(1);
        }
    }

    private static boolean isStopped(long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", String.valueOf(pid), "task"))) {
            return threads.allMatch(Processes::isStopped);
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    private static boolean isStopped(Path thread) {
        try {
            return Files.readString(thread.resolve("status")).contains("State:\tT");
        } catch (IOException ended) {
            return true;
        }
    }

    /** A free port. No other test on this machine gets it while this process runs. */
    public static int freePort() {
        return Lab.ask("port").getAsInt();
    }

    public static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
