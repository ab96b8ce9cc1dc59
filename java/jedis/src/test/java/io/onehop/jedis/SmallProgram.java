package io.onehop.jedis;

/**
 * A program as small as can be, for Java machines of other kinds: what it prints is looked at. It
 * needs no test class.
 */
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
