package io.onehop.jedis.lab;

/** Processes and ports of tests. */
public final class Processes {

    private Processes() {}

    /** Sends a signal such as {@code STOP} to one process. */
    public static void signal(long pid, String name) {
        Lab.ask("signal", "pid", pid, "number", name);
    }

    /** A free port that no other test of this machine gets while this process runs. */
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
