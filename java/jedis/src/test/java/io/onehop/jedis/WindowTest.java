package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Nodes that stop reading while their replies are unread, as SSDB does. If everything were written
 * first, both sides would wait for each other until the deadline. These nodes answer one command
 * after the other, and their writes block.
 */
class WindowTest {

    /** Answers every command with its key and that many bytes. */
    private static ScriptedNode.Script answering(int bytes) {
        String tail = "y".repeat(bytes);
        return talk -> {
            talk.handshake();
            for (List<String> command : talk.commands()) {
                talk.bulk(command.get(1) + tail);
            }
        };
    }

    private static void roundTrip(int commands, int requestBytes, int replyBytes) {
        ScriptedNode.Script script = answering(replyBytes);
        try (ScriptedNode one = ScriptedNode.start(script);
                ScriptedNode two = ScriptedNode.start(script);
                OneHopClient redis =
                        Nodes.clientOf(
                                Nodes.configOf(
                                        Stream.of(one.server(), two.server()), "timeout: 60000"));
                AbstractPipeline pipeline = redis.pipelined()) {
            String argument = "x".repeat(requestBytes);
            List<Response<String>> replies = new ArrayList<>();
            for (int i = 0; i < commands; i++) {
                replies.add(pipeline.hget("key:" + i, argument));
            }
            pipeline.sync();
            for (int i = 0; i < commands; i++) {
                assertTrue(replies.get(i).get().startsWith("key:" + i + "y"), "reply " + i);
            }
        }
    }

    @Test
    void manySmallCommandsWithLargerRepliesCauseNoDeadlock() {
        roundTrip(40_000, 100, 1000);
    }

    @Test
    void commandsLargerThanEveryBufferWithLargeRepliesCauseNoDeadlock() {
        roundTrip(12, 6_000_000, 6_000_000);
    }

    @Test
    void aNodeNeverHasMoreUnansweredRequestsThanTheWindow() {
        AtomicLong most = new AtomicLong();
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake();
                    int commands = 0;
                    for (List<String> command : talk.commands()) {
                        if (commands++ % 500 == 0) {
                            Processes.pause(5); // Time for everything to arrive.
                            most.accumulateAndGet(talk.arrived(), Math::max);
                        }
                        talk.bulk("value");
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client("timeout: 60000");
                AbstractPipeline pipeline = redis.pipelined()) {
            Response<String> last = null;
            for (int i = 0; i < 20_000; i++) {
                last = pipeline.get("a key of some length:" + i);
            }
            pipeline.sync();
            assertEquals("value", last.get());
            assertTrue(most.get() > 20_000, "the node had work: " + most);
            assertTrue(most.get() <= 131_072, "unanswered bytes: " + most);
        }
    }
}
