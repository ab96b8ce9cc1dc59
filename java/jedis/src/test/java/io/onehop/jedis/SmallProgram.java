package io.onehop.jedis;

/** A minimal program for other kinds of JVM. Its output is checked. It needs no test class. */
final class SmallProgram {

    private SmallProgram() {}

    public static void main(String[] server) {
        String configuration =
                "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  servers:\n    - "
                        + server[0]
                        + "\n";
        try (OneHopClient redis =
                OneHopClient.builder().configText(configuration).pool("alpha").build()) {
            System.out.println(redis.set("key", "value") + " " + redis.get("key"));
        } catch (Throwable thrown) {
            System.out.println(thrown);
        }
    }
}
