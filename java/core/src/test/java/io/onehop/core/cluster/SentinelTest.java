package io.onehop.core.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.Spec;
import io.onehop.core.base.Message;
import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.Server.Replica;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Answers of Sentinels and what is adopted from them, against the vectors of spec/topology. */
class SentinelTest {
    private static final String PAGE = "topology/vectors/sentinel.json";
    private static final List<JsonObject> TESTS = Spec.tests(PAGE, "SentinelTest");

    private static SentinelAnswer answer(JsonElement replies) {
        return replies.isJsonNull()
                ? SentinelAnswer.SILENT
                : SentinelAnswer.read(replies.getAsString().getBytes(StandardCharsets.ISO_8859_1));
    }

    private static @Nullable SentinelVerdict verdict(JsonElement told) {
        if (told.isJsonNull()) {
            return null;
        }
        JsonObject verdict = told.getAsJsonObject();
        return new SentinelVerdict(
                verdict.get("address").getAsString(), verdict.get("epoch").getAsLong());
    }

    @Test
    void theAddressOfTheVectorIsAdopted() {
        for (JsonObject test : TESTS) {
            String what = test.get("comment").getAsString();
            JsonArray replies = test.getAsJsonArray("answers");
            List<SentinelAnswer> answers = new ArrayList<>();
            for (int i = 0; i < replies.size(); i++) {
                SentinelAnswer answer = answer(replies.get(i));
                JsonElement reason = test.getAsJsonArray("reasons").get(i);
                Message actual = answer.reason();
                assertEquals(
                        reason.isJsonNull() ? null : reason.getAsString(),
                        actual == null ? null : actual.what(),
                        what);
                answers.add(answer);
            }
            SentinelVerdict known = verdict(test.get("known"));
            assertEquals(
                    test.get("certain").getAsBoolean(),
                    SentinelVerdict.isCertain(answers, known),
                    what);
            SentinelVerdict adopted = SentinelVerdict.of(answers, known);
            assertEquals(verdict(test.get("adopted")), adopted, what);
            assertEquals(
                    test.get("contradicted").getAsBoolean(),
                    SentinelVerdict.isContradicted(answers, adopted == null ? known : adopted),
                    what);
        }
    }

    private static PoolTopology twoServers() throws ConfigException {
        String config =
                "alpha:\n  engine: redis\n  servers:\n"
                        + "  - 10.9.0.1:6379 north\n"
                        + "  - 10.9.0.2:6379 south\n";
        return PoolTopology.of(Config.parse(config.getBytes(StandardCharsets.UTF_8)).pool("alpha"));
    }

    /**
     * If replicas of two servers have the same names, those of the server that comes first count.
     */
    @Test
    void theReplicasOfTheVectorAnswerReads() throws ConfigException {
        PoolTopology before = twoServers();
        for (JsonObject test : Spec.tests(PAGE, "SentinelReplicasTest")) {
            List<Replica> replicas = new ArrayList<>();
            for (JsonElement taken : test.getAsJsonArray("taken")) {
                String name = taken.getAsString();
                int colon = name.lastIndexOf(':');
                int port = Integer.parseInt(name.substring(colon + 1));
                replicas.add(new Replica(name.substring(0, colon), port, "north"));
            }
            List<byte[]> replies = new ArrayList<>();
            test.getAsJsonArray("replies")
                    .forEach(
                            reply ->
                                    replies.add(
                                            reply.getAsString()
                                                    .getBytes(StandardCharsets.ISO_8859_1)));
            String master = test.get("master").getAsString();
            replicas.addAll(SentinelReplicas.read(replies, "south", master));
            PoolTopology after = before.withMasters(before.pool().servers(), Map.of(), replicas);
            List<String> expected = new ArrayList<>();
            test.getAsJsonArray("replicas").forEach(name -> expected.add(name.getAsString()));
            assertEquals(
                    expected,
                    after.nodes().stream()
                            .filter(node -> node.role() == Role.REPLICA && node.master() == 1)
                            .map(Node::name)
                            .toList(),
                    test.get("comment").getAsString());
        }
    }

    @Test
    void aServerIsAMasterOnceItsSentinelsWereAsked() throws ConfigException {
        PoolTopology before = twoServers();
        PoolTopology after =
                before.withMasters(
                        before.pool().servers(),
                        Map.of("south", "7"),
                        List.of(new Replica("10.9.0.3", 6379, "north")));
        assertEquals(List.of(Role.NONE, Role.NONE), roles(before));
        assertEquals(List.of(Role.NONE, Role.MASTER, Role.REPLICA), roles(after));
    }

    private static List<Role> roles(PoolTopology topology) {
        return topology.nodes().stream().map(Node::role).toList();
    }

    @Test
    void everyCutOfAReplyIsRefused() {
        byte[] whole =
                TESTS.get(0)
                        .getAsJsonArray("answers")
                        .get(0)
                        .getAsString()
                        .getBytes(StandardCharsets.ISO_8859_1);
        for (int length = 0; length < whole.length; length++) {
            assertNotNull(SentinelAnswer.read(Arrays.copyOf(whole, length)).reason());
        }
    }
}
