package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.RedisServer;
import org.junit.jupiter.api.Test;

/** An Error in the middle of a call costs its connection, never its place in the pool. */
class ErrorsTest {
    private static final String WELL = "errors 1000\nnext value\nleased 0\nsockets 0\n";

    @Test
    void aThousandStackOverflowsInTheMiddleOfCallsLeaveNothingLeasedAndNothingOpen() {
        try (RedisServer server = RedisServer.start()) {
            assertEquals(WELL, Jvm.output("-cp", Jvm.classPath(), ErringProgram.class.getName(), "stack",
                    server.server()));
            assertEquals(0, server.clients());
        }
    }

    @Test
    void neitherDoErrorsForWantOfMemory() {
        try (RedisServer server = RedisServer.start()) {
            assertEquals(WELL, Jvm.output("-Xmx24m", "-cp", Jvm.classPath(), ErringProgram.class.getName(),
                    "memory", server.server()));
            assertEquals(0, server.clients());
        }
    }
}
