package io.onehop.core.placement;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;

import io.onehop.core.Node;
import io.onehop.core.Spec;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Whole rings, point by point, against the vectors of spec/placement. */
class KetamaTest {

    @Test
    void aRingHasThePointsOfItsVectorInTheirOrder() {
        for (JsonObject group : Spec.groups("placement/vectors/ketama.json")) {
            List<Node> live = live(group);
            Ranges ring = Ketama.of(live).ring();
            String title = group.get("comment").getAsString();
            assertEquals(group.get("total").getAsInt(), ring.count(), title);
            assertEquals(group.get("checksum").getAsLong(), checksum(ring), title);
            long[] points = numbers(group.getAsJsonArray("points"));
            assertArrayEquals(points, pointsOfNodes(ring, points.length), title);
            checkEnds(ring, group);
        }
    }

    private static void checkEnds(Ranges ring, JsonObject group) {
        JsonArray first = group.getAsJsonArray("first");
        JsonArray last = group.getAsJsonArray("last");
        for (int i = 0; i < first.size(); i++) {
            assertArrayEquals(
                    numbers(first.get(i).getAsJsonArray()),
                    new long[] {ring.endAt(i), ring.ownerAt(i)});
        }
        for (int i = 0; i < last.size(); i++) {
            int position = ring.count() - last.size() + i;
            long[] found = {ring.endAt(position), ring.ownerAt(position)};
            assertArrayEquals(numbers(last.get(i).getAsJsonArray()), found);
        }
    }

    private static long checksum(Ranges ring) {
        int sum = (int) 2166136261L;
        for (int i = 0; i < ring.count(); i++) {
            sum = (sum ^ (int) ring.endAt(i)) * 16777619;
            sum = (sum ^ ring.ownerAt(i)) * 16777619;
        }
        return Integer.toUnsignedLong(sum);
    }

    private static long[] pointsOfNodes(Ranges ring, int nodesCount) {
        long[] points = new long[nodesCount];
        for (int i = 0; i < ring.count(); i++) {
            points[ring.ownerAt(i)]++;
        }
        return points;
    }

    private static long[] numbers(JsonArray array) {
        return array.asList().stream().mapToLong(number -> number.getAsLong()).toArray();
    }

    private static List<Node> live(JsonObject group) {
        List<String> dead =
                group.has("dead") ? Spec.strings(group.getAsJsonArray("dead")) : List.of();
        List<Node> nodes = Spec.topology(group).nodes();
        List<Node> live = nodes.stream().filter(node -> !dead.contains(node.name())).toList();
        return live.isEmpty() ? nodes : live;
    }
}
