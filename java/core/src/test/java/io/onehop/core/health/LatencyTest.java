package io.onehop.core.health;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Spec;

import org.junit.jupiter.api.Test;

/** The vectors of spec/meter, and that the buckets have neither gaps nor overlaps. */
class LatencyTest {

    @Test
    void everyDurationIsInItsBucketAndPercentilesAreThoseOfThePage() {
        for (JsonObject test : Spec.tests("meter/vectors/latency.json")) {
            if (test.has("us")) {
                int bucket = Latency.bucket(test.get("us").getAsLong());
                assertEquals(test.get("bucket").getAsInt(), bucket, test.toString());
                assertEquals(
                        test.get("begin").getAsLong(), Latency.beginUs(bucket), test.toString());
            } else {
                long[] counts = counts(test.getAsJsonArray("times"));
                assertEquals(
                        test.get("p50").getAsLong(),
                        Latency.percentileUs(counts, 500),
                        test.toString());
                assertEquals(
                        test.get("p99").getAsLong(),
                        Latency.percentileUs(counts, 990),
                        test.toString());
                assertEquals(
                        test.get("p999").getAsLong(),
                        Latency.percentileUs(counts, 999),
                        test.toString());
            }
        }
    }

    private static long[] counts(JsonArray times) {
        long[] counts = new long[Latency.BUCKETS];
        for (JsonElement time : times) {
            JsonArray pair = time.getAsJsonArray();
            counts[Latency.bucket(pair.get(0).getAsLong())] += pair.get(1).getAsLong();
        }
        return counts;
    }

    @Test
    void everyBucketEndsWhereTheNextOneBegins() {
        for (int bucket = 1; bucket < Latency.BUCKETS; bucket++) {
            assertEquals(bucket, Latency.bucket(Latency.beginUs(bucket)));
            assertEquals(bucket - 1, Latency.bucket(Latency.beginUs(bucket) - 1));
        }
    }
}
