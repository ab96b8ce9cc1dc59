/*
 * The Java contestants: the same 1000 HGETs by OneHop, by one Jedis pipeline to a node or to
 * nutcracker, and by Jedis' cluster pipeline.
 *
 * A worker of the benchmark; bench/workers.py describes its protocol. A single-file program:
 * `java -cp JAR Worker.java PLAN`, where JAR is the testee's, which contains OneHop and Jedis.
 * Every contestant is an AbstractPipeline of the same Jedis. The measured time begins before it
 * is opened and ends with the values as Strings in a list.
 */

import io.onehop.jedis.OneHopClient;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Supplier;

public final class Worker {

    private static final String FIELD = "name";

    /** Without HELLO and CLIENT SETINFO, which nutcracker does not know. */
    private static final JedisClientConfig PLAIN =
            DefaultJedisClientConfig.builder()
                    .serverDefaultProtocol()
                    .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                    .timeoutMillis(5000)
                    .build();

    private final Map<String, String[]> contestants = new HashMap<>();
    private final List<List<String>> batches = new ArrayList<>();
    private final Map<String, Supplier<AbstractPipeline>> open = new HashMap<>();
    private final Map<String, Integer> nextBatch = new HashMap<>();

    public static void main(String[] arguments) throws IOException {
        Worker worker = new Worker(Files.readAllLines(Path.of(arguments[0])));
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line; (line = requests.readLine()) != null; ) {
            String[] words = line.split(" ");
            System.out.println(
                    worker.run(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3])));
        }
        // The clients' pools may keep threads. Their servers live longer than this process.
        System.exit(0);
    }

    private Worker(List<String> plan) {
        int size = 0;
        for (String line : plan) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "batch" -> size = Integer.parseInt(words[1]);
                case "contestant" -> contestants.put(words[1], words);
                case "key" -> batchWithRoom(size).add(words[1]);
                default -> throw new IllegalArgumentException(line);
            }
        }
    }

    private List<String> batchWithRoom(int size) {
        if (batches.isEmpty() || batches.get(batches.size() - 1).size() == size) {
            batches.add(new ArrayList<>(size));
        }
        return batches.get(batches.size() - 1);
    }

    private String run(String name, int untimed, int timed) {
        Supplier<AbstractPipeline> pipelines =
                open.computeIfAbsent(name, unopened -> connect(contestants.get(name)));
        StringJoiner answer = new StringJoiner(" ");
        for (int i = 0; i < untimed + timed; i++) {
            List<String> keys =
                    batches.get(nextBatch.merge(name, 1, Integer::sum) % batches.size());
            long start = System.nanoTime();
            List<String> values = readAll(pipelines, keys);
            long taken = System.nanoTime() - start;
            check(keys, values);
            if (i >= untimed) {
                answer.add(Long.toString(taken));
            }
        }
        return answer.toString();
    }

    /** The measured part. */
    private static List<String> readAll(Supplier<AbstractPipeline> pipelines, List<String> keys) {
        List<Response<String>> responses = new ArrayList<>(keys.size());
        try (AbstractPipeline pipeline = pipelines.get()) {
            for (String key : keys) {
                responses.add(pipeline.hget(key, FIELD));
            }
            pipeline.sync();
        }
        List<String> values = new ArrayList<>(keys.size());
        for (Response<String> response : responses) {
            values.add(response.get());
        }
        return values;
    }

    private static void check(List<String> keys, List<String> values) {
        for (int i = 0; i < keys.size(); i++) {
            if (!(FIELD + " of " + keys.get(i)).equals(values.get(i))) {
                throw new IllegalStateException(
                        "wrong value for " + keys.get(i) + ": " + values.get(i));
            }
        }
    }

    /**
     * {@code words} is a contestant's line of the plan: "contestant", name, kind, and the words of
     * that kind.
     */
    private static Supplier<AbstractPipeline> connect(String[] words) {
        return switch (words[2]) {
            case "onehop" ->
                    OneHopClient.builder().config(Path.of(words[3])).pool(words[4]).build()
                            ::pipelined;
            case "pipeline" ->
                    RedisClient.builder().hostAndPort(address(words, 3)).clientConfig(PLAIN).build()
                            ::pipelined;
            case "cluster" ->
                    RedisClusterClient.builder().nodes(addresses(words)).clientConfig(PLAIN).build()
                            ::pipelined;
            default -> throw new IllegalArgumentException("not a Java contestant: " + words[2]);
        };
    }

    private static HostAndPort address(String[] words, int index) {
        return new HostAndPort(words[index], Integer.parseInt(words[index + 1]));
    }

    private static Set<HostAndPort> addresses(String[] words) {
        Set<HostAndPort> addresses = new LinkedHashSet<>();
        for (int i = 3; i < words.length; i += 2) {
            addresses.add(address(words, i));
        }
        return addresses;
    }
}
