package io.onehop.testee;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.health.Health;
import io.onehop.core.health.Health.Cause;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The op {@code health}: runs the steps of a scenario of spec/health, one after the other. For one
 * request.
 */
final class HealthSteps {
    private final Health health;
    private final long[] states;
    private final long[] heard;
    private long dueMs;

    private HealthSteps(int nodes, JsonObject rules) {
        health =
                new Health(
                        rules.get("ejects").getAsBoolean(),
                        rules.get("failure_limit").getAsInt(),
                        rules.get("retry_ms").getAsInt());
        states = new long[nodes];
        heard = new long[nodes];
    }

    static Map<String, Object> answer(JsonObject request) {
        HealthSteps steps =
                new HealthSteps(request.get("nodes").getAsInt(), request.getAsJsonObject("rules"));
        List<Object> answer = new ArrayList<>();
        for (JsonElement step : request.getAsJsonArray("steps")) {
            answer.add(steps.take(step.getAsJsonObject()));
        }
        return Map.of("steps", answer);
    }

    private Map<String, Object> take(JsonObject step) {
        Map<String, Object> answer = new LinkedHashMap<>();
        long nowMs = step.get("at").getAsLong();
        if (step.has("place")) {
            boolean isDue = Health.isRebuildDue(dueMs, nowMs);
            answer.put("rebuilds", isDue);
            if (isDue) {
                rebuild(nowMs, answer);
            }
        } else if (step.has("rebuild")) {
            rebuild(nowMs, answer);
        } else {
            int node = number(step, "node", 0);
            if (step.has("ask")) {
                answer.put(
                        "answer",
                        health.answer(states[node], nowMs).name().toLowerCase(Locale.ROOT));
            }
            states[node] = next(states[node], heard[node], step, nowMs);
            heard[node] = step.has("answered") ? nowMs : heard[node];
            answer.put(
                    "state",
                    List.of(
                            Health.until(states[node]),
                            Health.failures(states[node]),
                            Health.step(states[node]),
                            Health.generation(states[node])));
        }
        return answer;
    }

    private long next(long state, long heardMs, JsonObject step, long nowMs) {
        if (step.has("ask")) {
            return health.asked(state, nowMs, step.get("ask").getAsInt());
        }
        if (!step.has("failed")) {
            return health.answered(state);
        }
        Cause cause = Cause.valueOf(step.get("failed").getAsString().toUpperCase(Locale.ROOT));
        int chance = step.has("chance") ? (int) step.get("chance").getAsLong() : 0;
        long born =
                (step.has("heard") ? step.get("heard").getAsLong() : heardMs) << 6
                        | step.get("born").getAsLong();
        long next = state;
        for (int times = number(step, "times", 1); times > 0; times--) {
            next = health.failed(next, heardMs, cause, born, nowMs, chance);
        }
        return next;
    }

    private void rebuild(long nowMs, Map<String, Object> answer) {
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
        answer.put("live", live);
        answer.put("due", dueMs);
    }

    private static int number(JsonObject step, String field, int otherwise) {
        return step.has(field) ? step.get(field).getAsInt() : otherwise;
    }
}
