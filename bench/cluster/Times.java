/*
 * Times MGET of 1000 random keys, one client after the other, in turns. Prints each client's
 * median time in nanoseconds, as JSON. Every reply is checked.
 *
 * A single-file program: `java -cp JAR Times.java CONFIG SEEDS ROUNDS`,
 * where JAR is the testee's.
 */

import io.onehop.jedis.OneHopClient;

import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClusterClient;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;
import java.util.function.Supplier;
import java.util.stream.Collectors;

public final class Times {

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[2]);
        String[] keys =
                new Random(7)
                        .ints(1000, 0, 100_000)
                        .mapToObj(number -> "key:" + number)
                        .toArray(String[]::new);
        List<String> expected = Arrays.stream(keys).map(key -> "value of " + key).toList();
        OneHopClient onehop =
                OneHopClient.builder().config(Path.of(arguments[0])).pool("alpha").build();
        RedisClusterClient stock =
                RedisClusterClient.builder()
                        .nodes(
                                Arrays.stream(arguments[1].split(","))
                                        .map(HostAndPort::from)
                                        .collect(Collectors.toSet()))
                        .build();
        Map<String, Supplier<List<String>>> jobs = new LinkedHashMap<>();
        jobs.put("OneHop", () -> onehop.mget(keys));
        jobs.put("RedisClusterClient", () -> stock.mget(keys));
        Map<String, List<Long>> times = new LinkedHashMap<>();
        // The first half warms up the JIT compiler and does not count.
        for (int round = -rounds; round < rounds; round++) {
            for (Map.Entry<String, Supplier<List<String>>> job : jobs.entrySet()) {
                long begin = System.nanoTime();
                List<String> replies = job.getValue().get();
                long taken = System.nanoTime() - begin;
                if (!replies.equals(expected)) {
                    throw new IllegalStateException("wrong replies of " + job.getKey());
                }
                if (round >= 0) {
                    times.computeIfAbsent(job.getKey(), first -> new ArrayList<>()).add(taken);
                }
            }
        }
        StringJoiner json = new StringJoiner(", ", "{", "}");
        times.forEach(
                (name, all) -> {
                    Collections.sort(all);
                    json.add("\"" + name + "\": " + all.get(all.size() / 2));
                });
        System.out.println(json);
        System.exit(0); // The clients' pools keep threads.
    }
}
