package io.onehop.core.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonObject;

import io.onehop.core.Spec;

import org.junit.jupiter.api.Test;

import java.util.Locale;

/** spec/wire/vectors/leaving.json. */
class LeavingTest {
    @Test
    void everyVector() {
        for (JsonObject vector : Spec.tests("wire/vectors/leaving.json")) {
            boolean isHalfOver =
                    is(vector, "replica")
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
}
