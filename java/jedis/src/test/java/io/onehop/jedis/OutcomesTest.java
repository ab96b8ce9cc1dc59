package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import redis.clients.jedis.AbstractPipeline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * The outcome of a call over several nodes follows from what happened at each node, as the vectors
 * of spec/route expect. If a call is reported as not sent, its command has reached no node.
 */
class OutcomesTest {
    private static final Map<String, BiConsumer<OneHopClient, String[]>> CALLS =
            Map.of(
                    "pipeline",
                    (redis, keys) -> {
                        try (AbstractPipeline pipeline = redis.pipelined()) {
                            Stream.of(keys).forEach(pipeline::incr);
                        }
                    },
                    "MSET",
                    (redis, keys) -> redis.mset(Nodes.pairs(key -> "1", keys)),
                    "DEL",
                    OneHopClient::del,
                    "UNLINK",
                    OneHopClient::unlink,
                    "FLUSHDB",
                    (redis, keys) -> redis.flushDB(),
                    "SCRIPT LOAD",
                    (redis, keys) -> redis.scriptLoad("return 1"));

    private static ScriptedNode node(String fate, AtomicInteger executed) {
        return ScriptedNode.start(
                talk -> {
                    talk.handshake();
                    for (List<String> command : talk.commands()) {
                        if (fate.equals("ANSWERED")) {
                            talk.send("-MOVED 1 127.0.0.1:1\r\n");
                            continue;
                        }
                        executed.incrementAndGet();
                        if (fate.equals("MAYBE_EXECUTED")) {
                            return;
                        }
                        String name = command.get(0).toUpperCase();
                        boolean isStatus = name.equals("MSET") || name.equals("FLUSHDB");
                        String sha = "$40\r\n" + "0".repeat(40) + "\r\n";
                        talk.send(isStatus ? "+OK\r\n" : name.equals("SCRIPT") ? sha : ":1\r\n");
                    }
                });
    }

    @TestFactory
    Stream<DynamicTest> everyVector() throws IOException {
        JsonObject page =
                JsonParser.parseString(
                                Files.readString(Path.of("../../spec/route/vectors/outcomes.json")))
                        .getAsJsonObject();
        JsonArray tests =
                page.getAsJsonArray("testGroups").get(0).getAsJsonObject().getAsJsonArray("tests");
        assertEquals(page.get("numberOfTests").getAsInt(), tests.size());
        return tests.asList().stream()
                .map(JsonElement::getAsJsonObject)
                .map(
                        test ->
                                DynamicTest.dynamicTest(
                                        test.get("tcId") + ": " + test.get("comment").getAsString(),
                                        () -> check(test)));
    }

    private static void check(JsonObject test) {
        List<String> fates =
                test.getAsJsonArray("nodes").asList().stream()
                        .map(JsonElement::getAsString)
                        .toList();
        AtomicInteger executed = new AtomicInteger();
        List<ScriptedNode> nodes = new ArrayList<>();
        List<String> servers = new ArrayList<>();
        for (int i = 0; i < fates.size(); i++) {
            String address = Nodes.refusing();
            if (!fates.get(i).equals("NOT_SENT")) {
                nodes.add(node(fates.get(i), executed));
                address = nodes.get(nodes.size() - 1).server();
            }
            servers.add(address + " n" + i);
        }
        try (OneHopClient redis = Nodes.clientOf(servers.stream(), Inspected.NEVER_RESTING)) {
            String[] keys =
                    redis.topology().nodes().stream()
                            .map(node -> Nodes.keyOn(redis, node.name()))
                            .toArray(String[]::new);
            CALLS.forEach(
                    (name, call) -> {
                        executed.set(0);
                        check(
                                name,
                                test.get("call").getAsString(),
                                fates,
                                executed,
                                thrown(redis, keys, call));
                    });
        } finally {
            nodes.forEach(ScriptedNode::close);
        }
    }

    private static OneHopException thrown(
            OneHopClient redis, String[] keys, BiConsumer<OneHopClient, String[]> call) {
        try {
            call.accept(redis, keys);
            return null;
        } catch (OneHopException failure) {
            return failure;
        }
    }

    private static void check(
            String name,
            String expected,
            List<String> fates,
            AtomicInteger executed,
            OneHopException failure) {
        String given = failure == null ? "REPLY" : failure.getClass().getSimpleName();
        if (failure != null && !(failure instanceof PartialBatch)) {
            given = failure.getNode().substring(1);
            boolean wasSent = !fates.get(Integer.parseInt(given)).equals("NOT_SENT");
            assertEquals(wasSent, failure.mayHaveExecuted(), name);
            assertTrue(wasSent || executed.get() == 0, name + ": not sent, and executed");
        }
        assertEquals(expected, given, name);
    }
}
