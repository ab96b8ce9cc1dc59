package io.onehop.jedis.lab;

/** What tests do with processes and ports of their own. */
public final class Processes {

    private Processes() {}

    /** Sends a signal, as {@code STOP}, to one process, whoever has started it. */
    public static void signal(long pid, String name) {
        Lab.ask("signal", "pid", pid, "number", name);
    }

    /**
     * A port that nobody listens on, and that no other test of this machine is given while this
     * process is there.
     */
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
