package io.onehop.core.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;

import io.onehop.core.Spec;

import org.junit.jupiter.api.Test;

/** Smoothed times, and which node answers a read, against the vectors of spec/topology. */
class FastestTest {

    @Test
    void latenciesAreSmoothedAndNodesChosenAsInTheVectors() {
        for (JsonObject group : Spec.groups("topology/vectors/fastest.json")) {
            boolean isSmooth = group.get("type").getAsString().equals("SmoothTest");
            for (JsonObject test : Spec.objects(group.getAsJsonArray("tests"))) {
                if (isSmooth) {
                    assertEquals(
                            test.get("result").getAsLong(),
                            Fastest.smooth(
                                    test.get("smoothed").getAsLong(), test.get("took").getAsLong()),
                            test.toString());
                } else {
                    assertEquals(test.get("chosen").getAsInt(), chosen(test), test.toString());
                }
            }
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
