package io.onehop.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.onehop.core.Health.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The scenarios of spec/health, step by step: after each one the whole state is what the page says. */
class HealthTest {

    @TestFactory
    Stream<DynamicTest> everyScenarioOfResting() {
        return scenarios("rest");
    }

    @TestFactory
    Stream<DynamicTest> everyScenarioOfEjecting() {
        return scenarios("eject");
    }

    private static Stream<DynamicTest> scenarios(String page) {
        JsonObject json = Spec.json("health/scenarios/" + page + ".json");
        List<JsonObject> scenarios = Spec.objects(json.getAsJsonArray("scenarios"));
        assertTrue(!scenarios.isEmpty() && scenarios.size() == json.get("numberOfScenarios").getAsInt());
        return scenarios.stream().map(scenario ->
                DynamicTest.dynamicTest(scenario.get("name").getAsString(), () -> new Run(scenario).run()));
    }

    private static final class Run {
        private final List<JsonObject> steps;
        private final Health health;
        private final long[] states;
        private final long[] heard;
        private long dueMs;

        Run(JsonObject scenario) {
            JsonObject rules = scenario.getAsJsonObject("rules");
            steps = Spec.objects(scenario.getAsJsonArray("steps"));
            states = new long[scenario.get("nodes").getAsInt()];
            heard = new long[states.length];
            health = new Health(rules.get("ejects").getAsBoolean(), rules.get("failure_limit").getAsInt(),
                    rules.get("retry_ms").getAsInt());
        }

        void run() {
            for (JsonObject step : steps) {
                long nowMs = step.get("at").getAsLong();
                if (step.has("place")) {
                    boolean isDue = Health.isRebuildDue(dueMs, nowMs);
                    assertEquals(step.get("rebuilds").getAsBoolean(), isDue, step.toString());
                    if (isDue) {
                        rebuild(step, nowMs);
                    }
                } else if (step.has("rebuild")) {
                    rebuild(step, nowMs);
                } else {
                    int node = number(step, "node", 0);
                    states[node] = next(states[node], heard[node], step, nowMs);
                    heard[node] = step.has("answered") ? nowMs : heard[node];
                    assertEquals(step.get("state").toString(), shown(states[node]), step.toString());
                }
            }
        }

        private long next(long state, long heardMs, JsonObject step, long nowMs) {
            if (step.has("ask")) {
                String answer = health.answer(state, nowMs).name().toLowerCase(Locale.ROOT);
                assertEquals(step.get("answer").getAsString(), answer, step.toString());
                return health.asked(state, nowMs, step.get("ask").getAsInt());
            }
            if (!step.has("failed")) {
                return health.answered(state);
            }
            Cause cause = Cause.valueOf(step.get("failed").getAsString().toUpperCase(Locale.ROOT));
            int chance = step.has("chance") ? (int) step.get("chance").getAsLong() : 0;
            long bornHeardMs = step.has("heard") ? step.get("heard").getAsLong() : heardMs;
            long born = bornHeardMs << 6 | step.get("born").getAsLong();
            long next = state;
            for (int times = number(step, "times", 1); times > 0; times--) {
                next = health.failed(next, heardMs, cause, born, nowMs, chance);
            }
            return next;
        }

        private void rebuild(JsonObject step, long nowMs) {
            List<Integer> live = new ArrayList<>();
            dueMs = 0;
            for (int i = 0; i < states.length; i++) {
                if (Health.isLive(states[i], nowMs)) {
                    live.add(i);
                }
                states[i] = Health.rebuilt(states[i], nowMs);
                long until = Health.until(states[i]);
                dueMs = until != 0 && (dueMs == 0 || until < dueMs) ? until : dueMs;
            }
            assertEquals(step.get("live").toString(), live.toString().replace(" ", ""), step.toString());
            assertEquals(step.get("due").getAsLong(), dueMs, step.toString());
        }

        private static int number(JsonObject step, String field, int otherwise) {
            return step.has(field) ? step.get(field).getAsInt() : otherwise;
        }

        private static String shown(long state) {
            return "[" + Health.until(state) + "," + Health.failures(state) + "," + Health.step(state) + ","
                    + Health.generation(state) + "]";
        }
    }
}
