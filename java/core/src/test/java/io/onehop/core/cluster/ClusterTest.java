package io.onehop.core.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.Spec;
import io.onehop.core.key.Key;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.core.topology.Zone;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Checks maps of Redis Clusters, redirects, calls that leave their node, and the choice of the node
 * for a read, against the vectors of spec/.
 */
class ClusterTest {
    private static final ServerPool POOL =
            Spec.config(
                            "p:\n"
                                    + "  listen: h:1\n"
                                    + "  redis: true\n"
                                    + "  cluster: true\n"
                                    + "  servers:\n"
                                    + "  - s:1:1\n"
                                    + "  - t:1:1\n")
                    .pool("p");

    private static byte[] latin(JsonObject object, String field) {
        return object.get(field).getAsString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static ClusterMap read(JsonObject answer) throws ClusterException {
        JsonElement zone = answer.get("zone");
        byte[] info = answer.has("info") ? latin(answer, "info") : new byte[0];
        return ClusterMap.read(
                latin(answer, "reply"),
                info,
                answer.has("asked") ? answer.get("asked").getAsString() : "127.0.0.1",
                zone == null || zone.isJsonNull()
                        ? Zone.NONE
                        : new Zone(zone.getAsString(), hosts(answer)));
    }

    private static Set<String> hosts(JsonObject answer) {
        JsonElement hosts = answer.get("zone_hosts");
        return hosts == null ? Set.of() : Set.of(hosts.getAsString().split(" "));
    }

    @Test
    void aReplyBecomesTheMapOfItsVector() throws ClusterException {
        for (JsonObject test : Spec.tests("topology/vectors/cluster_replies.json")) {
            String what = test.get("comment").getAsString();
            if (test.has("reason")) {
                ClusterException refused =
                        assertThrows(ClusterException.class, () -> read(test), what);
                assertEquals(test.get("reason").getAsString(), refused.reason(), what);
                continue;
            }
            ClusterMap map = read(test);
            JsonObject expectedMap = test.getAsJsonObject("map");
            assertEquals(expectedMap.getAsJsonArray("nodes").size(), map.nodes().size(), what);
            assertEquals(expectedMap.get("served").getAsInt(), map.servedCount(), what);
            boolean isDown = test.has("info") && test.get("info").getAsString().contains("e:fail");
            assertEquals(isDown, map.isDown(), what);
            if (!map.nodes().isEmpty()) {
                check(expectedMap, map.topology(POOL, null), what);
            }
        }
    }

    private static void check(JsonObject expectedMap, PoolTopology topology, String what) {
        JsonArray nodes = expectedMap.getAsJsonArray("nodes");
        assertEquals(nodes.size(), topology.byIndex().size(), what);
        assertEquals(
                topology.byIndex().stream().filter(node -> node.role() != Role.GONE).toList(),
                topology.nodes(),
                what);
        for (int i = 0; i < nodes.size(); i++) {
            JsonObject expected = nodes.get(i).getAsJsonObject();
            Node node = topology.byIndex().get(i);
            assertEquals(i, node.index(), what);
            assertEquals(expected.get("name").getAsString(), node.name(), what);
            assertEquals(expected.get("id").getAsString(), node.id(), what);
            assertEquals(
                    expected.get("role").getAsString(),
                    node.role().name().toLowerCase(Locale.ROOT),
                    what);
            assertEquals(expected.get("master").getAsInt(), node.master(), what);
            assertEquals(expected.get("failing").getAsBoolean(), node.failing(), what);
            assertEquals(expected.get("loading").getAsBoolean(), node.loading(), what);
            assertEquals(expected.get("near").getAsBoolean(), node.near(), what);
            assertEquals(node.role() == Role.GONE ? null : node, topology.find(node.name()), what);
        }
        for (JsonElement element : expectedMap.getAsJsonArray("slots")) {
            JsonArray run = element.getAsJsonArray();
            for (int slot = run.get(0).getAsInt(); slot <= run.get(1).getAsInt(); slot++) {
                assertEquals(run.get(2).getAsInt(), topology.nodeOfSlot(slot), what);
                assertEquals(run.get(3).getAsBoolean(), topology.isServed(slot), what);
            }
        }
        assertEquals(expectedMap.get("epoch").getAsLong(), topology.epoch(), what);
        if (expectedMap.has("fingerprint")) {
            assertEquals(
                    expectedMap.get("fingerprint").getAsString(), topology.fingerprint(), what);
        }
    }

    @Test
    void theBetterMapIsTakenAndIndexesAreKept() throws ClusterException {
        for (JsonObject test : Spec.tests("topology/vectors/cluster_adoption.json")) {
            PoolTopology current = null;
            for (JsonObject step : Spec.objects(test.getAsJsonArray("steps"))) {
                String what = test.get("comment").getAsString();
                ClusterMap first =
                        step.get("first").isJsonNull() ? null : read(step.getAsJsonObject("first"));
                ClusterMap second =
                        step.get("second").isJsonNull()
                                ? null
                                : read(step.getAsJsonObject("second"));
                PoolTopology before = current;
                for (JsonElement moved :
                        step.has("moved") ? step.getAsJsonArray("moved") : new JsonArray()) {
                    String node = moved.getAsJsonArray().get(1).getAsString();
                    int slot = moved.getAsJsonArray().get(0).getAsInt();
                    current = current.withSlots(Map.of(slot, current.find(node).index()));
                }
                if (step.has("reason")) {
                    ClusterException refused =
                            assertThrows(
                                    ClusterException.class,
                                    () -> ClusterMap.choose(before, first, second),
                                    what);
                    assertEquals(step.get("reason").getAsString(), refused.reason(), what);
                    continue;
                }
                ClusterMap chosen = ClusterMap.choose(before, first, second);
                assertEquals(
                        step.get("chosen").getAsString().equals("first") ? first : second,
                        chosen,
                        what);
                current =
                        before == null ? chosen.topology(POOL, null) : chosen.over(current, before);
                check(step.getAsJsonObject("map"), current, what);
            }
        }
    }

    @Test
    void everyErrorIsDecidedAsInItsVector() throws ClusterException {
        for (JsonObject group : Spec.groups("route/vectors/redirects.json")) {
            PoolTopology map = read(group).topology(POOL, null);
            for (JsonObject test : Spec.objects(group.getAsJsonArray("tests"))) {
                JsonObject decision = test.getAsJsonObject("decision");
                JsonElement reason = decision.get("reason");
                Redirect expected =
                        new Redirect(
                                Redirect.Action.valueOf(
                                        decision.get("action")
                                                .getAsString()
                                                .toUpperCase(Locale.ROOT)),
                                decision.get("node").getAsInt(),
                                decision.get("slot").getAsInt(),
                                decision.get("has_moved").getAsBoolean(),
                                decision.get("wants_refresh").getAsBoolean(),
                                decision.get("wait_ms").getAsInt(),
                                reason.isJsonNull() ? null : reason.getAsString());
                Redirect.Case asked =
                        new Redirect.Case(
                                test.get("error").getAsString(),
                                test.get("asked").getAsInt(),
                                test.get("hops").getAsInt(),
                                test.get("tries").getAsInt(),
                                test.get("left_ms").getAsLong(),
                                test.get("held").getAsBoolean(),
                                test.get("fresh").getAsBoolean(),
                                (int) test.get("chance").getAsLong());
                assertEquals(expected, Redirect.decide(map, asked), test.toString());
            }
        }
    }

    @Test
    void beforeTheFirstMapTheSeedsAreTheNodes() {
        PoolTopology seeds = PoolTopology.of(POOL);
        assertEquals(0, seeds.servedCount());
        assertEquals(Role.NONE, seeds.nodes().get(0).role());
        assertEquals(0, seeds.nodeOfSlot(0));
        assertEquals(1, seeds.nodeOfSlot(16383));
        byte[] key = "user:1".getBytes();
        assertEquals(Key.slot(key, 0, key.length), seeds.explain("user:1").point());
    }

    @Test
    void aMovedSlotChangesTheFingerprint() throws ClusterException {
        List<JsonObject> groups = Spec.groups("route/vectors/redirects.json");
        PoolTopology map = read(groups.get(0)).topology(POOL, null);
        PoolTopology moved = map.withSlots(Map.of(7, 4));
        assertEquals(4, moved.nodeOfSlot(7));
        assertEquals(0, map.nodeOfSlot(7));
        assertNotEquals(map.fingerprint(), moved.fingerprint());
        assertEquals(map.fingerprint(), moved.withSlots(Map.of(7, 0)).fingerprint());
    }

    @Test
    void anyBytesGiveAMapOrAReason() throws ClusterException {
        Random chance = new Random(7);
        List<JsonObject> tests = Spec.tests("topology/vectors/cluster_replies.json");
        int maps = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] reply = latin(tests.get(chance.nextInt(20)), "reply");
            for (int changes = chance.nextInt(4); changes >= 0 && reply.length > 0; changes--) {
                reply[chance.nextInt(reply.length)] =
                        (byte) "*$:0123456789\r\n?x-%+".charAt(chance.nextInt(20));
            }
            try {
                ClusterMap map = ClusterMap.read(reply, reply, "h", Zone.NONE);
                maps++;
                if (map.servedCount() > 0) {
                    PoolTopology topology = map.topology(POOL, null);
                    assertTrue(
                            topology.nodeOfSlot(chance.nextInt(16384)) < topology.byIndex().size());
                }
            } catch (ClusterException refused) {
                assertTrue(!refused.reason().isEmpty());
            }
        }
        assertTrue(maps > 1000, maps + " maps");
    }

    /* ---- Waiting calls, and the fastest node ---- */

    @Test
    void waitingCallsLeaveTheirNodeAsInTheVectors() {
        for (JsonObject vector : Spec.tests("wire/vectors/wire.json", "LeavingTest")) {
            boolean isHalfOver =
                    is(vector, "fallback")
                            && Leaving.isHalfOver(
                                    vector.get("left_ms").getAsLong(),
                                    vector.get("timeout_ms").getAsInt());
            Leaving decision =
                    Leaving.of(
                            new Leaving.Request(
                                    is(vector, "sent"),
                                    is(vector, "heard"),
                                    is(vector, "reads"),
                                    is(vector, "blocks"),
                                    is(vector, "bound")),
                            is(vector, "successor"),
                            isHalfOver);
            assertEquals(
                    vector.get("decision").getAsString(),
                    decision.name().toLowerCase(Locale.ROOT),
                    vector.get("comment").getAsString());
        }
    }

    private static boolean is(JsonObject vector, String name) {
        return vector.get(name).getAsBoolean();
    }

    @Test
    void latenciesAreSmoothedAndNodesChosenAsInTheVectors() {
        for (JsonObject test : Spec.tests("topology/vectors/topology.json", "SmoothTest")) {
            assertEquals(
                    test.get("result").getAsLong(),
                    Fastest.smooth(test.get("smoothed").getAsLong(), test.get("took").getAsLong()),
                    test.toString());
        }
        for (JsonObject test : Spec.tests("topology/vectors/topology.json", "ChooseTest")) {
            assertEquals(test.get("chosen").getAsInt(), chosen(test), test.toString());
        }
    }

    private static int chosen(JsonObject test) {
        JsonArray pairs = test.getAsJsonArray("nodes");
        int[] nodes = new int[pairs.size()];
        long[] smoothed = new long[pairs.size()];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = pairs.get(i).getAsJsonArray().get(0).getAsInt();
            smoothed[i] = pairs.get(i).getAsJsonArray().get(1).getAsLong();
        }
        return Fastest.choose(
                nodes, smoothed, test.get("reads").getAsLong(), test.get("last").getAsInt());
    }
}
