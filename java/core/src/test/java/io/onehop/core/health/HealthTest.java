package io.onehop.core.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Spec;
import io.onehop.core.health.Health.Cause;
import io.onehop.core.health.Health.Edge;
import io.onehop.core.health.Health.Told;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The scenarios of spec/health, step by step. After each step the whole state is compared. */
class HealthTest {

    @TestFactory
    Stream<DynamicTest> everyScenarioOfRestingAndEjecting() {
        JsonObject page = Spec.json("health/scenarios/health.json");
        List<JsonObject> scenarios = Spec.objects(page.getAsJsonArray("scenarios"));
        assertTrue(
                !scenarios.isEmpty()
                        && scenarios.size() == page.get("numberOfScenarios").getAsInt());
        return scenarios.stream()
                .map(
                        scenario ->
                                DynamicTest.dynamicTest(
                                        scenario.get("name").getAsString(),
                                        () -> new Run(scenario).run()));
    }

    @Test
    void theLogGetsTheLinesOfTheVectors() {
        for (JsonObject test : Spec.tests("health/vectors/health.json", "ToldTest")) {
            long word = 0;
            for (JsonObject step : Spec.objects(test.getAsJsonArray("steps"))) {
                Edge edge = Edge.valueOf(step.get("edge").getAsString().toUpperCase(Locale.ROOT));
                Told told = Told.after(word, edge, step.get("at").getAsLong());
                String where = test.get("comment").getAsString() + ": " + step;
                word = told.word();
                assertEquals(
                        !"nothing".equals(step.get("says").getAsString()), told.isDue(), where);
                assertEquals(number(step, "times"), told.isDue() ? told.times() : 0, where);
                assertEquals(number(step, "ms"), told.isDue() ? told.ms() : 0, where);
            }
        }
    }

    @Test
    void nodesThatAreLateTogetherAreNotToBlame() {
        for (JsonObject test : Spec.tests("health/vectors/health.json", "LateTest")) {
            assertEquals(
                    test.get("together").getAsBoolean(),
                    Health.isLateTogether(
                            test.get("node").getAsInt(),
                            numbers(test, "heard"),
                            numbers(test, "late"),
                            test.get("began").getAsLong(),
                            test.get("now").getAsLong()),
                    test.get("comment").getAsString());
        }
    }

    private static long[] numbers(JsonObject test, String field) {
        return test.getAsJsonArray(field).asList().stream()
                .mapToLong(JsonElement::getAsLong)
                .toArray();
    }

    private static long number(JsonObject step, String field) {
        return step.has(field) ? step.get(field).getAsLong() : 0;
    }

    @Test
    void countingClaimingAndStayingUpAreNotLogged() {
        Health health = new Health(false, 2, 0);
        long once = health.failed(0, 0, Cause.EXCHANGE, 0, 1000, 0);
        long down = health.failed(once, 0, Cause.EXCHANGE, Health.birth(once, 0), 1000, 0);
        long probe = health.asked(down, 2000, 100);
        long still = health.failed(probe, 0, Cause.EXCHANGE, Health.birth(probe, 0), 2000, 0);
        assertEquals(Edge.NONE, Health.edge(0, once));
        assertEquals(Edge.DOWN, Health.edge(once, down));
        assertEquals(Edge.NONE, Health.edge(down, probe));
        assertEquals(Edge.STILL, Health.edge(probe, still));
        assertEquals(Edge.BACK, Health.edge(still, health.answered(still)));
        assertEquals(Edge.NONE, Health.edge(once, health.answered(once)));
        assertEquals(Edge.BACK, Health.edge(down, Health.rebuilt(down, 5000)));
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
            health =
                    new Health(
                            rules.get("ejects").getAsBoolean(),
                            rules.get("failure_limit").getAsInt(),
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
                    assertEquals(
                            step.get("state").toString(), shown(states[node]), step.toString());
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
            assertEquals(
                    step.get("live").toString(), live.toString().replace(" ", ""), step.toString());
            assertEquals(step.get("due").getAsLong(), dueMs, step.toString());
        }

        private static int number(JsonObject step, String field, int otherwise) {
            return step.has(field) ? step.get(field).getAsInt() : otherwise;
        }

        private static String shown(long state) {
            return "["
                    + Health.until(state)
                    + ","
                    + Health.failures(state)
                    + ","
                    + Health.step(state)
                    + ","
                    + Health.generation(state)
                    + "]";
        }
    }
}
