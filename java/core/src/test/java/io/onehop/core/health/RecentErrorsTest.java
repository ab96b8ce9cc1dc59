package io.onehop.core.health;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Spec;

import org.junit.jupiter.api.Test;

/** Runs the vectors of spec/meter, section 4. */
class RecentErrorsTest {

    @Test
    void theSumIsThatOfTheVectors() {
        for (JsonObject test : Spec.tests("meter/vectors/recent.json")) {
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
