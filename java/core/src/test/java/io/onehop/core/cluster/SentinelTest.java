package io.onehop.core.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Spec;
import io.onehop.core.base.Message;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Answers of Sentinels and what is adopted from them, against the vectors of spec/topology. */
class SentinelTest {
    private static final List<JsonObject> TESTS = Spec.tests("topology/vectors/sentinel.json");

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
            assertEquals(
                    verdict(test.get("adopted")),
                    SentinelVerdict.of(answers, verdict(test.get("known"))),
                    what);
        }
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
