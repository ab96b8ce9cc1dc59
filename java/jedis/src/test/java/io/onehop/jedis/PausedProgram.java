package io.onehop.jedis;

/**
 * A program that the node stops in the middle of a call; the key names the process to stop. It
 * prints the result of the call and the state of the node. The argument is the configuration, with
 * a server pool alpha.
 */
final class PausedProgram {

    private PausedProgram() {}

    public static void main(String[] arguments) {
        try (OneHopClient redis =
                OneHopClient.builder().configText(arguments[0]).pool("alpha").build()) {
            String before = redis.get("key");
            String meanwhile = stopped(redis);
            NodeStatus node = redis.status().nodes().get(0);
            System.out.println(
                    before
                            + "; "
                            + meanwhile
                            + "; "
                            + node.state()
                            + ", "
                            + node.failures()
                            + " failures counted; "
                            + redis.get("key"));
        }
    }

    private static String stopped(OneHopClient redis) {
        try {
            return redis.get(PauseTest.STOP + ProcessHandle.current().pid());
        } catch (OneHopException failure) {
            return failure.getClass().getSimpleName();
        }
    }
}
