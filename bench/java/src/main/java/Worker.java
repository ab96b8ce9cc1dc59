/*
 * The Java contestants on Jedis: OneHop, one node or nutcracker, and Redis Cluster.
 *
 * A worker of the benchmarks; bench/workers.py describes its protocol. A single-file program:
 * `java -cp JAR Worker.java PLAN`, where JAR is the testee's, which contains OneHop and Jedis.
 * Rivals.java adds the contestants that need other libraries. The measured time begins before the
 * first command and ends with all values as Strings in a list.
 */

import io.onehop.jedis.OneHopClient;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.Function;

public final class Worker {

    static final String FIELD = "name";

    /** To each node: the default of OneHop's pool_size. */
    private static final int CONNECTIONS = 16;

    /** What a contestant can do. Values are in the order of the keys. */
    interface Contestant extends AutoCloseable {
        /** Reads the field of each key in one pipeline. A value that cannot be had is null. */
        List<String> hget(List<String> keys);

        void hset(List<String> keys);

        String get(String key);

        void set(String key, String value);

        List<String> mget(List<String> keys);

        void mset(Map<String, String> values);

        long del(List<String> keys);

        @Override
        void close();
    }

    /** What makes a contestant of its words in the plan and the timeout in milliseconds. */
    static final Map<String, BiFunction<List<String>, Integer, Contestant>> KINDS =
            new HashMap<>(
                    Map.of(
                            "onehop", (words, timeoutMs) -> new OfJedis(onehop(words)),
                            "pipeline", (words, timeoutMs) -> new OfJedis(one(words, timeoutMs)),
                            "cluster",
                                    (words, timeoutMs) -> new OfJedis(cluster(words, timeoutMs))));

    private final Map<String, List<String>> contestants = new HashMap<>();
    private final List<String> hashes = new ArrayList<>();
    private final List<String> strings = new ArrayList<>();
    private final Map<String, Contestant> open = new HashMap<>();
    private final Map<String, Integer> nextKey = new HashMap<>();
    private int size;
    private final Map<Integer, ExecutorService> crews = new HashMap<>();
    private int timeoutMs = 5000;

    public static void main(String[] arguments) throws IOException {
        Worker worker = new Worker(Files.readAllLines(Path.of(arguments[0])));
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line; (line = requests.readLine()) != null; ) {
            System.out.println(worker.answer(new Request(line.split(" "), worker)));
        }
        // The clients' pools may keep threads. Their servers live longer than this process.
        System.exit(0);
    }

    private Worker(List<String> plan) {
        for (String line : plan) {
            List<String> words = List.of(line.split(" "));
            switch (words.get(0)) {
                case "batch" -> size = Integer.parseInt(words.get(1));
                case "timeout" -> timeoutMs = Integer.parseInt(words.get(1));
                case "contestant" -> contestants.put(words.get(1), words.subList(2, words.size()));
                case "key" -> hashes.add(words.get(1));
                case "string" -> strings.add(words.get(1));
                default -> throw new IllegalArgumentException(line);
            }
        }
    }

    /** A line of stdin; the words after TIMED may be missing. */
    private record Request(
            String name,
            int untimed,
            int timed,
            String operation,
            int threads,
            int count,
            int bytes,
            int of) {
        Request(String[] words, Worker worker) {
            this(
                    words[1],
                    Integer.parseInt(words[2]),
                    Integer.parseInt(words[3]),
                    words.length > 4 ? words[4].split("\\*")[0] : "hget",
                    words.length > 4 && words[4].contains("*")
                            ? Integer.parseInt(words[4].split("\\*")[1])
                            : 0,
                    words.length > 5 ? Integer.parseInt(words[5]) : worker.size,
                    words.length > 6 ? Integer.parseInt(words[6]) : 0,
                    words.length > 7 ? Integer.parseInt(words[7]) : worker.hashes.size());
        }

        boolean isOfHashes() {
            return Set.of("hget", "alive", "hset").contains(operation);
        }

        String valueOf(String key) {
            if (isOfHashes()) {
                return FIELD + " of " + key;
            }
            String unit = "value of " + key + " ";
            return unit.repeat(bytes / unit.length() + 1).substring(0, bytes);
        }
    }

    /* ---- Answers ---- */

    private String answer(Request request) {
        Contestant contestant =
                open.computeIfAbsent(request.name(), name -> connect(contestants.get(name)));
        StringJoiner answer = new StringJoiner(" ");
        for (int i = 0; i < request.untimed() + request.timed(); i++) {
            Map<String, String> values = new LinkedHashMap<>();
            for (String key : batch(request)) {
                values.put(key, request.valueOf(key));
            }
            String sample = sample(contestant, request, values);
            if (sample.equals("no")) {
                return sample;
            }
            if (i >= request.untimed()) {
                answer.add(sample);
            }
        }
        return answer.toString();
    }

    private Contestant connect(List<String> words) {
        var kind = KINDS.get(words.get(0));
        if (kind == null) {
            throw new IllegalArgumentException("not a Java contestant: " + words.get(0));
        }
        return kind.apply(words.subList(1, words.size()), timeoutMs);
    }

    /** The next keys. A batch begins at a multiple of its size. */
    private List<String> batch(Request request) {
        List<String> keys = request.isOfHashes() ? hashes : strings;
        String place = request.name() + (request.isOfHashes() ? " hashes" : " strings");
        int count = request.count();
        int first = -Math.floorDiv(-nextKey.getOrDefault(place, 0), count) * count;
        if (first + count > Math.min(request.of(), keys.size())) {
            first = 0;
        }
        nextKey.put(place, first + count);
        return keys.subList(first, first + count);
    }

    /** The nanoseconds of one batch, and how many values were right if some may be missing. */
    private String sample(Contestant contestant, Request request, Map<String, String> values) {
        List<String> keys = List.copyOf(values.keySet());
        Reading hgets = () -> contestant.hget(keys);
        Reading gets = () -> each(keys, contestant::get);
        return switch (request.operation()) {
            case "hget" ->
                    request.threads() > 0 ? parallel(request, values, hgets) : timed(values, hgets);
            case "get" ->
                    request.threads() > 0 ? parallel(request, values, gets) : timed(values, gets);
            case "mget" -> timed(values, () -> contestant.mget(keys));
            case "cold" -> timed(values, () -> each(keys, key -> cold(request.name(), key)));
            case "set" -> written(contestant, values, () -> values.forEach(contestant::set));
            case "mset" -> written(contestant, values, () -> contestant.mset(values));
            case "del" -> deleted(contestant, keys, values);
            case "alive" -> alive(contestant, keys, values);
            case "hset" -> {
                contestant.hset(keys);
                yield timed(values, () -> contestant.hget(keys));
            }
            default -> "no";
        };
    }

    private interface Reading {
        List<String> values();
    }

    private static String timed(Map<String, String> expected, Reading reading) {
        long start = System.nanoTime();
        List<String> values = reading.values();
        long taken = System.nanoTime() - start;
        check(values.equals(List.copyOf(expected.values())), "values");
        return Long.toString(taken);
    }

    /** Each of the request's threads reads all values. */
    private String parallel(Request request, Map<String, String> expected, Reading reading) {
        ExecutorService crew =
                crews.computeIfAbsent(request.threads(), Executors::newFixedThreadPool);
        Callable<List<String>> call = reading::values;
        try {
            long start = System.nanoTime();
            var answers = crew.invokeAll(Collections.nCopies(request.threads(), call));
            long taken = System.nanoTime() - start;
            for (Future<List<String>> answer : answers) {
                check(answer.get().equals(List.copyOf(expected.values())), "values");
            }
            return Long.toString(taken);
        } catch (InterruptedException | ExecutionException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static List<String> each(List<String> keys, Function<String, String> read) {
        List<String> values = new ArrayList<>(keys.size());
        for (String key : keys) {
            values.add(read.apply(key));
        }
        return values;
    }

    private String cold(String name, String key) {
        try (Contestant contestant = connect(contestants.get(name))) {
            return contestant.get(key);
        }
    }

    private static String written(
            Contestant contestant, Map<String, String> values, Runnable writing) {
        long start = System.nanoTime();
        writing.run();
        long taken = System.nanoTime() - start;
        List<String> found = contestant.mget(List.copyOf(values.keySet()));
        check(found.equals(List.copyOf(values.values())), "written values");
        return Long.toString(taken);
    }

    private static String deleted(
            Contestant contestant, List<String> keys, Map<String, String> values) {
        contestant.mset(values);
        long start = System.nanoTime();
        long count = contestant.del(keys);
        long taken = System.nanoTime() - start;
        check(count == keys.size(), "number of deleted keys");
        contestant.mset(values);
        return Long.toString(taken);
    }

    private static String alive(
            Contestant contestant, List<String> keys, Map<String, String> values) {
        long start = System.nanoTime();
        List<String> found = contestant.hget(keys);
        long taken = System.nanoTime() - start;
        int right = 0;
        for (int i = 0; i < keys.size(); i++) {
            String value = found.get(i);
            check(value == null || value.equals(values.get(keys.get(i))), "value that is there");
            right += value == null ? 0 : 1;
        }
        return taken + "/" + right;
    }

    private static void check(boolean isRight, String what) {
        if (!isRight) {
            throw new IllegalStateException("wrong " + what);
        }
    }

    /* ---- Clients with the methods of UnifiedJedis ---- */

    /** The same code for OneHop and for all clients of Jedis. */
    static class OfJedis implements Contestant {
        final UnifiedJedis jedis;

        OfJedis(UnifiedJedis jedis) {
            this.jedis = jedis;
        }

        @Override
        public List<String> hget(List<String> keys) {
            List<Response<String>> responses = new ArrayList<>(keys.size());
            try (AbstractPipeline pipeline = pipeline()) {
                for (String key : keys) {
                    responses.add(pipeline.hget(key, FIELD));
                }
                pipeline.sync();
            } catch (RuntimeException someFailed) {
                // Their responses throw, too.
            }
            List<String> values = new ArrayList<>(keys.size());
            for (Response<String> response : responses) {
                values.add(valueOf(response));
            }
            for (int i = values.size(); i < keys.size(); i++) {
                values.add(null);
            }
            return values;
        }

        AbstractPipeline pipeline() {
            return jedis.pipelined();
        }

        private static String valueOf(Response<String> response) {
            try {
                return response.get();
            } catch (RuntimeException failed) {
                return null;
            }
        }

        @Override
        public void hset(List<String> keys) {
            keys.forEach(key -> jedis.hset(key, FIELD, FIELD + " of " + key));
        }

        @Override
        public String get(String key) {
            return jedis.get(key);
        }

        @Override
        public void set(String key, String value) {
            jedis.set(key, value);
        }

        @Override
        public List<String> mget(List<String> keys) {
            return jedis.mget(keys.toArray(String[]::new));
        }

        @Override
        public void mset(Map<String, String> values) {
            String[] words = new String[values.size() * 2];
            int at = 0;
            for (Map.Entry<String, String> entry : values.entrySet()) {
                words[at++] = entry.getKey();
                words[at++] = entry.getValue();
            }
            jedis.mset(words);
        }

        @Override
        public long del(List<String> keys) {
            return jedis.del(keys.toArray(String[]::new));
        }

        @Override
        public void close() {
            jedis.close();
        }
    }

    private static UnifiedJedis onehop(List<String> words) {
        return OneHopClient.builder().config(Path.of(words.get(0))).pool(words.get(1)).build();
    }

    private static UnifiedJedis one(List<String> words, int timeoutMs) {
        return RedisClient.builder()
                .hostAndPort(addresses(words).iterator().next())
                .clientConfig(plain(timeoutMs))
                .poolConfig(connections())
                .build();
    }

    private static UnifiedJedis cluster(List<String> words, int timeoutMs) {
        return RedisClusterClient.builder()
                .nodes(addresses(words))
                .clientConfig(plain(timeoutMs))
                .poolConfig(connections())
                .build();
    }

    /** Without HELLO and CLIENT SETINFO, which nutcracker does not know. */
    static JedisClientConfig plain(int timeoutMs) {
        return DefaultJedisClientConfig.builder()
                .serverDefaultProtocol()
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                .timeoutMillis(timeoutMs)
                .build();
    }

    /** As many connections to a node as OneHop has by default. */
    static ConnectionPoolConfig connections() {
        ConnectionPoolConfig config = new ConnectionPoolConfig();
        config.setMaxTotal(CONNECTIONS);
        config.setMaxIdle(CONNECTIONS);
        return config;
    }

    static Set<HostAndPort> addresses(List<String> words) {
        Set<HostAndPort> addresses = new LinkedHashSet<>();
        for (int i = 0; i < words.size(); i += 2) {
            addresses.add(new HostAndPort(words.get(i), Integer.parseInt(words.get(i + 1))));
        }
        return addresses;
    }
}
