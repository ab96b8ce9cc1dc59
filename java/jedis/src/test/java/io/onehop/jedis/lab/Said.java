package io.onehop.jedis.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Assertions about the message of a failure. */
public final class Said {
    private Said() {}

    public static void assertSays(String part, Throwable failure) {
        assertTrue(failure.getMessage().contains(part), failure::toString);
    }

    public static void assertBegins(String beginning, Throwable failure) {
        assertTrue(failure.getMessage().startsWith(beginning), failure::toString);
    }

    public static void assertEnds(String end, Throwable failure) {
        assertTrue(failure.getMessage().endsWith(end), failure::toString);
    }
}
