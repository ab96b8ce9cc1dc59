package io.onehop.core.health;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Spec;

import org.junit.jupiter.api.Test;

/** Checks the vectors of spec/meter, and that the buckets have neither gaps nor overlaps. */
class MeterTest {

    @Test
    void everyDurationIsInItsBucket() {
        for (JsonObject test : Spec.tests("meter/vectors/meter.json", "BucketTest")) {
            int bucket = Latency.bucket(test.get("us").getAsLong());
            assertEquals(test.get("bucket").getAsInt(), bucket, test.toString());
            assertEquals(test.get("begin").getAsLong(), Latency.beginUs(bucket), test.toString());
        }
    }

    @Test
    void percentilesAreThoseOfTheVectors() {
        for (JsonObject test : Spec.tests("meter/vectors/meter.json", "PercentileTest")) {
            long[] counts = counts(test.getAsJsonArray("times"));
            assertPercentile(test, "p50", Latency.percentileUs(counts, 500));
            assertPercentile(test, "p99", Latency.percentileUs(counts, 990));
            assertPercentile(test, "p999", Latency.percentileUs(counts, 999));
        }
    }

    private static void assertPercentile(JsonObject test, String name, long us) {
        assertEquals(test.get(name).getAsLong(), us, test.toString());
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

    @Test
    void recentErrorsAreThoseOfTheVectors() {
        for (JsonObject test : Spec.tests("meter/vectors/meter.json", "RecentTest")) {
            RecentErrors errors = new RecentErrors();
            for (JsonElement pair : test.getAsJsonArray("errors")) {
                long atMs = pair.getAsJsonArray().get(0).getAsLong();
                int count = pair.getAsJsonArray().get(1).getAsInt();
                for (int i = 0; i < count; i++) {
                    errors.count(atMs);
                }
            }
            assertEquals(
                    test.get("recent").getAsLong(),
                    errors.sum(test.get("nowMs").getAsLong()),
                    test.toString());
        }
    }
}
