/*
 * Sends commands of modules to three nodes, and by plain Jedis to one server. The replies must be
 * equal. First come the lines of the standard input, see modules.py; then the methods of
 * UnifiedJedis.
 *
 * A single-file program: `java -cp JAR Modules.java CONFIG PORT HOW`, where JAR is the testee's and
 * HOW is alone, pipeline or multi. Prints a line for each difference.
 */

import io.onehop.jedis.CrossNode;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.Unsupported;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.PipeliningBase;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.bloom.TDigestMergeParams;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.json.Path2;
import redis.clients.jedis.timeseries.AggregationType;
import redis.clients.jedis.timeseries.TSCreateParams;
import redis.clients.jedis.timeseries.TSElement;
import redis.clients.jedis.timeseries.TSMGetParams;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

public final class Modules {
    private static final Path2 ALL = Path2.of("$");
    private static final Path2 N = Path2.of("$.n");
    private static final String[] KEYS = {"k0", "k1", "missing", "k2", "k3", "k4", "k0"};

    /** The methods of UnifiedJedis, except those of {@link #batched}. */
    private static final List<Function<UnifiedJedis, Object>> METHODS =
            List.of(
                    redis -> redis.jsonType("k0", N),
                    redis -> redis.jsonStrLen("k0", Path2.of("$.s")),
                    redis -> redis.jsonStrAppend("k0", Path2.of("$.s"), "b"),
                    redis -> redis.jsonNumIncrBy("k0", N, 2),
                    redis -> redis.jsonArrAppend("k0", Path2.of("$.l"), 4),
                    redis -> redis.jsonArrIndex("k0", Path2.of("$.l"), 4),
                    redis -> redis.jsonArrInsert("k0", Path2.of("$.l"), 0, 9),
                    redis -> redis.jsonArrPop("k0", Path2.of("$.l")),
                    redis -> redis.jsonArrLen("k0", Path2.of("$.l")),
                    redis -> redis.jsonArrTrim("k0", Path2.of("$.l"), 0, 1),
                    redis -> redis.jsonObjKeys("k0", ALL),
                    redis -> redis.jsonObjLen("k0", ALL),
                    redis -> redis.jsonMerge("k0", ALL, Map.of("b", true)),
                    redis -> redis.jsonToggle("k0", Path2.of("$.b")),
                    redis -> redis.jsonDebugMemory("k0", N),
                    redis -> redis.jsonClear("k0", Path2.of("$.l")),
                    redis -> redis.jsonGet("k0"),
                    redis -> redis.jsonDel("k1", N),
                    redis -> redis.bfReserve("bf", 0.01, 100),
                    redis -> redis.bfMAdd("bf", "a", "b"),
                    redis -> redis.bfMExists("bf", "a", "z"),
                    redis -> redis.bfInsert("bg", "a"),
                    redis -> redis.bfCard("bf"),
                    redis -> redis.bfInfo("bf"),
                    redis -> redis.bfLoadChunk("bh", 1, redis.bfScanDump("bf", 0).getValue()),
                    redis -> redis.cfReserve("cf", 100),
                    redis -> redis.cfAddNx("cf", "a"),
                    redis -> redis.cfInsert("cf", "b"),
                    redis -> redis.cfMExists("cf", "a", "z"),
                    redis -> redis.cfDel("cf", "a"),
                    redis -> redis.cfCount("cf", "b"),
                    redis -> redis.cfInfo("cf"),
                    redis -> redis.cmsInitByDim("{c}1", 100, 5),
                    redis -> redis.cmsInitByDim("{c}2", 100, 5),
                    redis -> redis.cmsIncrBy("{c}1", Map.of("a", 3L)),
                    redis -> redis.cmsMerge("{c}2", "{c}1"),
                    redis -> redis.cmsQuery("{c}2", "a"),
                    redis -> redis.cmsInfo("{c}2"),
                    redis -> redis.topkReserve("top", 3),
                    redis -> redis.topkAdd("top", "a", "b"),
                    redis -> redis.topkIncrBy("top", Map.of("a", 4L)),
                    redis -> redis.topkQuery("top", "a"),
                    redis -> redis.topkListWithCount("top"),
                    redis -> redis.topkInfo("top"),
                    redis -> redis.tdigestCreate("{d}1"),
                    redis -> redis.tdigestAdd("{d}1", 1, 2, 3),
                    redis -> redis.tdigestMerge(new TDigestMergeParams(), "{d}2", "{d}1"),
                    redis -> redis.tdigestMin("{d}2"),
                    redis -> redis.tdigestQuantile("{d}2", 0.5),
                    redis -> redis.tdigestCDF("{d}2", 2),
                    redis -> redis.tdigestRank("{d}2", 2),
                    redis -> redis.tdigestByRank("{d}2", 1),
                    redis -> redis.tdigestTrimmedMean("{d}2", 0, 1),
                    redis -> redis.tdigestInfo("{d}2"),
                    redis -> redis.tdigestReset("{d}2"),
                    redis -> redis.tsCreate("t1", labelled()),
                    redis -> redis.tsCreate("t2", labelled()),
                    redis -> redis.tsCreate("t3", labelled()),
                    redis -> redis.tsCreate("{s}1"),
                    redis -> redis.tsCreate("{s}2"),
                    redis -> redis.tsCreateRule("{s}1", "{s}2", AggregationType.AVG, 10),
                    redis -> redis.tsAdd("{s}1", 1, 1),
                    redis -> redis.tsIncrBy("{s}1", 1, 11),
                    redis -> redis.tsRange("{s}2", 0, 100),
                    redis -> redis.tsRevRange("{s}1", 0, 100),
                    redis -> redis.tsDeleteRule("{s}1", "{s}2"),
                    redis -> redis.tsDel("{s}1", 1, 1),
                    redis -> redis.tsGet("{s}1"),
                    redis -> redis.tsInfo("{s}1").getProperty("totalSamples"),
                    redis -> redis.tsMAdd(sample("t1", 1), sample("t2", 2), sample("t3", 3)),
                    redis -> new TreeMap<>(redis.tsMGet(new TSMGetParams(), "kind=cpu")),
                    redis -> new TreeMap<>(redis.tsMRange(0, 100, "kind=cpu")),
                    redis -> new TreeMap<>(redis.tsMRevRange(0, 100, "kind=cpu")),
                    redis -> redis.tsQueryIndex("kind=cpu").stream().sorted().toList(),
                    redis -> redis.ftSugAdd("sug", "hello", 1),
                    redis -> redis.ftSugGet("sug", "he"),
                    redis -> redis.ftSugLen("sug"),
                    redis -> redis.ftSugDel("sug", "hello"));

    private final UnifiedJedis redis;
    private final boolean isFleet;

    private Modules(UnifiedJedis redis) {
        this.redis = redis;
        this.isFleet = redis instanceof OneHopClient;
    }

    private static TSCreateParams labelled() {
        return TSCreateParams.createParams().label("kind", "cpu");
    }

    private static Map.Entry<String, TSElement> sample(String key, int value) {
        return Map.entry(key, new TSElement(10, value));
    }

    public static void main(String[] arguments) throws IOException {
        List<String> lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                        .lines()
                        .toList();
        try (OneHopClient fleet =
                        OneHopClient.builder().pool("alpha").config(Path.of(arguments[0])).build();
                RedisClient one =
                        RedisClient.builder()
                                .hostAndPort("127.0.0.1", Integer.parseInt(arguments[1]))
                                .clientConfig(
                                        DefaultJedisClientConfig.builder()
                                                .protocol(RedisProtocol.RESP2)
                                                .build())
                                .build()) {
            List<String> expected = new Modules(one).told(lines, arguments[2]);
            List<String> found = new Modules(fleet).told(lines, arguments[2]);
            for (int i = 0; i < Math.max(expected.size(), found.size()); i++) {
                if (!expected.get(i).equals(found.get(i))) {
                    System.out.println(
                            "one server: " + expected.get(i) + "\n    the fleet: " + found.get(i));
                }
            }
        }
    }

    private List<String> told(List<String> lines, String how) {
        return switch (how) {
            case "pipeline" -> {
                try (AbstractPipeline pipeline = redis.pipelined()) {
                    List<Response<?>> batched = queue(pipeline, lines);
                    Stream.of(batched(pipeline)).forEach(batched::add);
                    pipeline.sync();
                    yield shown(lines, batched);
                }
            }
            case "multi" -> {
                try (AbstractTransaction transaction = redis.multi()) {
                    List<Response<?>> queued = queue(transaction, lines);
                    transaction.exec();
                    yield shown(lines, queued);
                }
            }
            default -> {
                List<String> told = new ArrayList<>();
                lines.forEach(line -> told.add(line + ": " + alone(line)));
                redis.jsonSet("k0", ALL, "{\"n\":1,\"s\":\"a\",\"l\":[1,2]}");
                redis.jsonSet("k1", ALL, "{\"n\":2}");
                METHODS.forEach(method -> told.add(reply(() -> method.apply(redis), false)));
                told.add(String.valueOf(redis.jsonMGet(N, KEYS)));
                yield told;
            }
        };
    }

    /** Methods of a batch whose commands are split or go to all nodes. */
    private static Response<?>[] batched(PipeliningBase batch) {
        return new Response<?>[] {
            batch.jsonMGet(N, KEYS), batch.tsMAdd(sample("t1", 1), sample("t2", 2)),
        };
    }

    private static List<Response<?>> queue(PipeliningBase batch, List<String> lines) {
        List<Response<?>> queued = new ArrayList<>();
        for (String line : lines) {
            if (!line.startsWith("REFUSED ")) {
                queued.add(batch.sendCommand(command(line)));
            }
        }
        return queued;
    }

    private static List<String> shown(List<String> lines, List<Response<?>> queued) {
        List<String> kept = lines.stream().filter(line -> !line.startsWith("REFUSED ")).toList();
        List<String> told = new ArrayList<>();
        for (int i = 0; i < queued.size(); i++) {
            String line = i < kept.size() ? kept.get(i) : "a method";
            told.add(line + ": " + reply(queued.get(i)::get, line.startsWith("~")));
        }
        return told;
    }

    private static CommandArguments command(String line) {
        String[] words = line.replaceFirst("^~", "").split(" ");
        CommandArguments command =
                new CommandArguments(() -> words[0].getBytes(StandardCharsets.UTF_8));
        Arrays.stream(words).skip(1).forEach(command::add);
        return command;
    }

    private String alone(String line) {
        if (!line.startsWith("REFUSED ")) {
            return reply(() -> sent(line), line.startsWith("~"));
        }
        try {
            return isFleet ? reply(() -> sent(line.substring(8)), false) : "";
        } catch (CrossNode | Unsupported refusal) {
            return "";
        }
    }

    private Object sent(String line) {
        String[] words = line.replaceFirst("^~", "").split(" ");
        return redis.sendCommand(
                () -> words[0].getBytes(StandardCharsets.UTF_8),
                Arrays.copyOfRange(words, 1, words.length));
    }

    private interface Call {
        Object made();
    }

    private static String reply(Call call, boolean isUnordered) {
        try {
            Object reply = call.made();
            return isUnordered && reply instanceof List<?> list
                    ? list.stream().map(Modules::text).sorted().toList().toString()
                    : text(reply);
        } catch (JedisDataException error) {
            return error.toString();
        }
    }

    private static String text(Object reply) {
        if (reply instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
        return reply instanceof List<?> list
                ? list.stream().map(Modules::text).toList().toString()
                : String.valueOf(reply);
    }
}
