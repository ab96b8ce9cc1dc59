package io.onehop.testee;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import io.onehop.core.Explanation;
import io.onehop.core.Hash;
import io.onehop.core.Role;
import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
import io.onehop.core.hash.HashFunction;
import io.onehop.core.key.Key;
import io.onehop.core.resp.Framing;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopException;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The Java side of the conformance protocol: one JSON object per line in, one per line out.
 *
 * <p>It has no logic of its own: each op calls the library and writes down the result. If a request
 * causes a failure, the message of the failure is the answer. The program ends when its input ends.
 * Implements conformance/protocol.md.
 */
public final class Testee {
    static final HexFormat HEX = HexFormat.of();
    private static final Gson JSON = new GsonBuilder().serializeNulls().create();

    /**
     * Names the topology of the previous request, because the next request often has the same
     * topology.
     */
    private @Nullable String lastPlace;

    private @Nullable PoolTopology lastTopology;

    public static void main(String[] arguments) throws IOException {
        Testee testee = new Testee();
        BufferedReader requests =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            answers.println(JSON.toJson(testee.answered(line)));
            answers.flush();
        }
    }

    private Map<String, Object> answered(String line) {
        Map<String, Object> answer = new HashMap<>();
        try {
            JsonObject request = JsonParser.parseString(line).getAsJsonObject();
            answer.put("id", request.get("id"));
            answer.putAll(answer(request));
        } catch (OneHopException failure) {
            answer.put("error", failure.getKind().label() + ": " + failure.getMessage());
        } catch (Exception | StackOverflowError problem) {
            answer.put("error", String.valueOf(problem.getMessage()));
        }
        return answer;
    }

    private Map<String, Object> answer(JsonObject request) throws Exception {
        return switch (text(request, "op")) {
            case "hash" ->
                    Map.of(
                            "hashes",
                            each(
                                    request,
                                    hash(HashFunction.named(Hash.named(text(request, "hash"))))));
            case "slot" -> Map.of("slots", each(request, key -> Key.slot(key, 0, key.length)));
            case "config" -> config(request);
            case "place" -> Map.of("nodes", each(request, place(topology(request))));
            case "explain" -> Map.of("explanations", each(request, explain(topology(request))));
            case "topology" ->
                    Map.of(
                            "fingerprint",
                            topology(request).fingerprint(),
                            "servers",
                            topology(request).nodes().stream()
                                    .filter(node -> node.role() != Role.REPLICA)
                                    .map(
                                            node ->
                                                    Map.of(
                                                            "name",
                                                            node.name(),
                                                            "address",
                                                            node.address(),
                                                            "weight",
                                                            node.weight()))
                                    .toList());
            case "wire" -> wire(request, new Framing());
            case "subscribed" -> subscribed(request);
            case "health" -> HealthSteps.answer(request);
            case "map" -> RealNodes.map(request);
            case "write" -> RealNodes.write(request);
            case "read" -> RealNodes.read(request);
            case "raw" -> RealNodes.raw(request);
            default -> Map.of("error", "unsupported op");
        };
    }

    private static Function<byte[], Object> hash(HashFunction hash) {
        return key -> Integer.toUnsignedLong(hash.of(key, 0, key.length));
    }

    private static Function<byte[], Object> place(PoolTopology topology) {
        return key -> topology.locate(key).name();
    }

    private static Function<byte[], Object> explain(PoolTopology topology) {
        return key -> {
            Explanation explanation = topology.explain(key);
            return Map.of(
                    "hashed",
                    HEX.formatHex(explanation.hashed()),
                    "hash",
                    explanation.hash(),
                    "point",
                    explanation.point(),
                    "node",
                    explanation.node().name());
        };
    }

    private static Map<String, Object> config(JsonObject request) {
        try {
            Config.parse(
                    request.has("hex")
                            ? HEX.parseHex(text(request, "hex"))
                            : utf8(text(request, "text")),
                    environment(request));
            return Map.of("ok", true);
        } catch (ConfigException refused) {
            List<Map<String, Object>> errors =
                    refused.errors().stream()
                            .map(
                                    e ->
                                            Map.<String, Object>of(
                                                    "line", e.line(), "reason", e.reason()))
                            .toList();
            return Map.of("error", errors.get(0), "errors", errors, "more", refused.more());
        }
    }

    private static Function<String, String> environment(JsonObject request) {
        JsonObject variables = request.getAsJsonObject("environment");
        return name ->
                variables != null && variables.has(name) ? variables.get(name).getAsString() : null;
    }

    private static Map<String, Object> subscribed(JsonObject request) {
        Framing framing = new Framing();
        framing.subscribe();
        Map<String, Object> answer = wire(request, framing);
        answer.put("messages", framing.pushed());
        return answer;
    }

    private static Map<String, Object> wire(JsonObject request, Framing framing) {
        framing.owe(request.get("commands").getAsInt());
        for (JsonElement chunk : request.getAsJsonArray("replies")) {
            byte[] bytes = HEX.parseHex(chunk.getAsString());
            framing.read(bytes, 0, bytes.length);
        }
        Map<String, Object> answer = new HashMap<>();
        answer.put("answered", framing.answered());
        answer.put("owed", framing.owed());
        answer.put("clean", framing.isClean());
        answer.put("error", framing.fault() == null ? null : framing.fault().message().what());
        return answer;
    }

    private PoolTopology topology(JsonObject request) throws ConfigException {
        String place =
                request.get("config") + " " + request.get("pool") + " " + request.get("dead");
        if (lastTopology != null && place.equals(lastPlace)) {
            return lastTopology;
        }
        ServerPool pool = Config.parse(utf8(text(request, "config"))).pool(text(request, "pool"));
        Set<String> dead = new HashSet<>();
        if (request.has("dead")) {
            request.getAsJsonArray("dead").forEach(name -> dead.add(name.getAsString()));
        }
        if (pool == null) {
            throw new IllegalArgumentException("There is no such server pool.");
        }
        PoolTopology made = PoolTopology.of(pool, dead);
        lastTopology = made;
        lastPlace = place;
        return made;
    }

    private static List<Object> each(JsonObject request, Function<byte[], Object> answer) {
        List<Object> answers = new ArrayList<>();
        for (JsonElement key : request.getAsJsonArray("keys")) {
            answers.add(answer.apply(HEX.parseHex(key.getAsString())));
        }
        return answers;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(JsonObject request, String name) {
        return request.get(name).getAsString();
    }
}
