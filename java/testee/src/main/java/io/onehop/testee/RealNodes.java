package io.onehop.testee;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.Topology;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.commands.ProtocolCommand;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The ops with real nodes, written as a user of the Java client would write them, in batches of
 * 1,000.
 */
final class RealNodes {
    private static final int BATCH = 1000;

    private RealNodes() {}

    static Map<String, Object> map(JsonObject request) throws Exception {
        try (OneHopClient redis = client(request)) {
            Topology topology = redis.topology();
            List<String> nodes = new ArrayList<>();
            request.getAsJsonArray("keys")
                    .forEach(key -> nodes.add(topology.locate(bytes(key)).name()));
            return Map.of("fingerprint", topology.fingerprint(), "nodes", nodes);
        }
    }

    static Map<String, Object> write(JsonObject request) throws Exception {
        try (OneHopClient redis = client(request)) {
            List<Response<String>> replies = new ArrayList<>();
            for (List<JsonElement> batch : batches(request.getAsJsonArray("pairs"))) {
                AbstractPipeline pipeline = redis.pipelined();
                for (JsonElement pair : batch) {
                    JsonArray both = pair.getAsJsonArray();
                    replies.add(pipeline.set(bytes(both.get(0)), bytes(both.get(1))));
                }
                pipeline.sync();
            }
            return Map.of(
                    "written", replies.stream().filter(reply -> reply.get().equals("OK")).count());
        }
    }

    static Map<String, Object> read(JsonObject request) throws Exception {
        try (OneHopClient redis = client(request)) {
            List<Response<byte[]>> replies = new ArrayList<>();
            for (List<JsonElement> batch : batches(request.getAsJsonArray("keys"))) {
                AbstractPipeline pipeline = redis.pipelined();
                batch.forEach(key -> replies.add(pipeline.get(bytes(key))));
                pipeline.sync();
            }
            List<String> values = new ArrayList<>();
            replies.forEach(
                    reply ->
                            values.add(
                                    reply.get() == null
                                            ? null
                                            : Testee.HEX.formatHex(reply.get())));
            Map<String, Object> answer = new HashMap<>();
            answer.put("values", values);
            return answer;
        }
    }

    static Map<String, Object> raw(JsonObject request) throws Exception {
        try (OneHopClient redis = client(request)) {
            List<Object> replies = new ArrayList<>();
            for (JsonElement command : request.getAsJsonArray("commands")) {
                replies.add(raw(redis, command.getAsJsonArray()));
            }
            return Map.of("replies", replies);
        }
    }

    @SuppressWarnings("deprecation") // Programs may use it, so it must work.
    private static Object raw(OneHopClient redis, JsonArray words) {
        byte[] first = bytes(words.get(0));
        ProtocolCommand name = () -> first;
        byte[][] arguments = new byte[words.size() - 1][];
        Arrays.setAll(arguments, i -> bytes(words.get(i + 1)));
        try {
            return json(redis.sendCommand(name, arguments));
        } catch (OneHopException refused) {
            return Map.of("refused", refused.getKind().label() + ": " + refused.getMessage());
        }
    }

    /** A reply in the form of the protocol: texts in hex. */
    private static Object json(Object reply) {
        if (reply instanceof List<?> list) {
            return Arrays.asList(list.stream().map(RealNodes::json).toArray());
        }
        return reply instanceof byte[] bytes ? Testee.HEX.formatHex(bytes) : reply;
    }

    private static OneHopClient client(JsonObject request) throws Exception {
        Path config = Path.of(Testee.text(request, "config"));
        return OneHopClient.builder().config(config).pool(Testee.text(request, "pool")).build();
    }

    private static byte[] bytes(JsonElement hex) {
        return Testee.HEX.parseHex(hex.getAsString());
    }

    private static List<List<JsonElement>> batches(JsonArray all) {
        List<List<JsonElement>> batches = new ArrayList<>();
        for (int start = 0; start < all.size(); start += BATCH) {
            batches.add(all.asList().subList(start, Math.min(start + BATCH, all.size())));
        }
        return batches;
    }
}
