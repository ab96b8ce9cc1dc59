package io.onehop.core.topology;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonObject;

import io.onehop.core.Explanation;
import io.onehop.core.Node;
import io.onehop.core.Spec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The whole way from a key to its node against the vectors of spec/placement. */
class PlacementTest {

    static Stream<String> pages() {
        return Spec.files("placement/vectors").stream().map(name -> name.replace(".json", ""));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyKeyIsOnTheNodeOfItsExplanation(String page) {
        for (JsonObject group : Spec.groups("placement/vectors/" + page + ".json")) {
            if (group.get("type").getAsString().equals("MemberTest")) {
                continue;
            }
            PoolTopology topology = Spec.topology(group);
            List<String> names = topology.nodes().stream().map(Node::name).toList();
            assertEquals(Spec.strings(group.getAsJsonArray("servers")), names);
            for (JsonObject test : Spec.objects(group.getAsJsonArray("tests"))) {
                checkPlace(topology, test);
            }
        }
    }

    private static void checkPlace(PoolTopology topology, JsonObject test) {
        byte[] key = Spec.hex(test, "key");
        Explanation way = topology.explain(key);
        assertArrayEquals(
                test.has("hashed") ? Spec.hex(test, "hashed") : key, way.hashed(), test.toString());
        assertEquals(test.get("hash").getAsLong(), way.hash(), test.toString());
        assertEquals(test.get("point").getAsLong(), way.point(), test.toString());
        assertEquals(test.get("node").getAsString(), way.node().name(), test.toString());
        assertEquals(way.node(), topology.locate(key), test.toString());
        assertEquals(way.node().index(), topology.locateIndex(key, 0, key.length), test.toString());
    }

    @Test
    void randomGivesAnyLiveNodeAndInTimeEachOfThem() {
        for (JsonObject group : Spec.groups("placement/vectors/keys.json", "MemberTest")) {
            PoolTopology topology = Spec.topology(group);
            for (JsonObject test : Spec.objects(group.getAsJsonArray("tests"))) {
                Set<String> drawn = new HashSet<>();
                for (int i = 0; i < 1000; i++) {
                    drawn.add(topology.locate(Spec.hex(test, "key")).name());
                }
                assertEquals(
                        new HashSet<>(Spec.strings(test.getAsJsonArray("nodes"))),
                        drawn,
                        test.toString());
            }
        }
    }
}
