package io.onehop.core.topology;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Node;
import io.onehop.core.Spec;
import io.onehop.core.command.Bring;
import io.onehop.core.command.Command;
import io.onehop.core.command.CommandIndex;
import io.onehop.core.command.CommandWords;
import io.onehop.core.command.CommandWords.Malformed;
import io.onehop.core.command.KeyPositions;
import io.onehop.core.command.Moving;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.StreamSupport;

/** Keys that move from another ring, against the vectors of spec/topology/moving.md. */
class MovingTest {
    private static final String PAGE = "topology/vectors/moving.json";

    private static List<String> texts(JsonArray array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonElement::getAsString)
                .toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void keysMoveBetweenTheNodesOfTheVectors() {
        for (JsonObject test : Spec.tests(PAGE, "OldRingTest")) {
            String about = test.get("comment").getAsString();
            PoolTopology topology = Spec.topology(test);
            List<Node> nodes = topology.nodes();
            List<String> expected = new ArrayList<>();
            test.getAsJsonArray("nodes")
                    .forEach(
                            each -> {
                                JsonObject node = each.getAsJsonObject();
                                expected.add(
                                        node.get("name").getAsString()
                                                + " "
                                                + node.get("address").getAsString());
                            });
            assertEquals(
                    expected,
                    nodes.stream().map(node -> node.name() + " " + node.address()).toList(),
                    about);
            for (int i = 0; i < nodes.size(); i++) {
                assertEquals(i, nodes.get(i).index(), about);
            }
            assertEquals(test.get("fingerprint").getAsString(), topology.fingerprint(), about);
            assertEquals(
                    texts(test.getAsJsonArray("scan")),
                    Arrays.stream(topology.scanned()).mapToObj(i -> nodes.get(i).name()).toList(),
                    about);
            for (JsonElement each : test.getAsJsonArray("keys")) {
                JsonObject key = each.getAsJsonObject();
                byte[] raw = HexFormat.of().parseHex(key.get("key").getAsString());
                Node from = topology.explain(raw).movesFrom();
                assertEquals(key.get("owner").getAsString(), topology.locate(raw).name(), about);
                JsonElement old = key.get("from");
                assertEquals(
                        old.isJsonNull() ? null : old.getAsString(),
                        from == null ? null : from.name(),
                        about);
            }
        }
    }

    /** The words of a command. */
    private record Words(List<String> words) implements CommandWords {
        @Override
        public int count() {
            return words.size();
        }

        @Override
        public byte[] word(int position) {
            return bytes(words.get(position));
        }
    }

    @Test
    void commandsAskOrBring() throws Malformed {
        for (JsonObject test : Spec.tests(PAGE, "MovingKindTest")) {
            Words words = new Words(texts(test.getAsJsonArray("words")));
            if (test.has("refused") || !test.has("kind")) {
                continue; // The client itself decides about these: no key moves, or a pattern does.
            }
            Command command = CommandIndex.find(words);
            KeyPositions found = command.keys(words);
            assertEquals(
                    test.get("kind").getAsString(),
                    Moving.asks(command, words, found, !test.has("transaction"))
                            ? "asks"
                            : "brings",
                    test.get("comment").getAsString());
        }
    }

    private static Object reply(JsonObject question) {
        if (question.has("fails")) {
            String outcome = question.get("fails").getAsString();
            return new Bring.Lost(outcome.equals("NOT_SENT"), question.get("to").getAsString());
        }
        JsonElement reply = question.get("reply");
        if (reply == null || reply.isJsonNull()) {
            return null;
        }
        if (reply.isJsonObject()) {
            return new Bring.Refusal(reply.getAsJsonObject().get("error").getAsString(), reply);
        }
        return reply.getAsJsonPrimitive().isNumber()
                ? (Object) reply.getAsLong()
                : bytes(reply.getAsString());
    }

    @Test
    void aKeyIsBroughtInTheStepsOfTheVectors() {
        for (JsonObject test : Spec.tests(PAGE, "BringTest")) {
            List<String> auth = test.has("auth") ? texts(test.getAsJsonArray("auth")) : List.of();
            Bring bring =
                    new Bring(
                            bytes("k"),
                            test.has("migrates")
                                    ? null
                                    : new Bring.Target("10.0.0.5", 6379, 0, 1000, auth));
            for (JsonElement round : test.getAsJsonArray("rounds")) {
                checkRound(bring, round.getAsJsonArray(), test.get("comment").getAsString());
            }
            checkEnd(bring, test);
        }
    }

    private static void checkRound(Bring bring, JsonArray round, String about) {
        assertEquals(Bring.End.NONE, bring.end(), about);
        List<Bring.Question> asked = bring.next();
        assertEquals(round.size(), asked.size(), about);
        List<Object> replies = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            JsonObject expected = round.get(i).getAsJsonObject();
            assertEquals(
                    expected.get("to").getAsString().equals("old"), asked.get(i).isOfOld(), about);
            assertArrayEquals(
                    texts(expected.getAsJsonArray("send")).stream()
                            .map(MovingTest::bytes)
                            .toArray(byte[][]::new),
                    asked.get(i).words(),
                    about);
            replies.add(reply(expected));
        }
        bring.take(replies);
    }

    private static void checkEnd(Bring bring, JsonObject test) {
        String about = test.get("comment").getAsString();
        Bring.End end =
                switch (test.get("end").getAsString()) {
                    case "brought" -> Bring.End.BROUGHT;
                    case "answer" -> Bring.End.ANSWERED;
                    case "nameless" -> Bring.End.NAMELESS;
                    default -> Bring.End.FAILED;
                };
        assertEquals(end, bring.end(), about);
        assertEquals(test.has("cannot_migrate"), bring.cannotMigrate(), about);
        if (end == Bring.End.ANSWERED) {
            assertEquals(test.get("answer"), bring.cause(), about);
        } else if (end != Bring.End.BROUGHT) {
            assertEquals(test.get("node").getAsString().equals("old"), bring.isOldFailed(), about);
        }
        if (end == Bring.End.FAILED) {
            assertEquals(test.get("node").getAsString(), bring.cause(), about);
        }
    }
}
