/*
 * Times one job, for one client at a time, taking turns: MGET of 1000 random keys, or a pipeline of 1000 HGETs. Prints, for
 * each client, the median of its times in nanoseconds, as JSON. Every reply is compared with what its key must hold.
 *
 * A single-file program, as times.php is in PHP: `java -cp JAR Times.java JOB CONFIG SEEDS ROUNDS`, where JAR is the testee's.
 */

import io.onehop.jedis.OneHopClient;
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
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;

public final class Times {

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[3]);
        int[] numbers = new Random(7).ints(1000, 0, 100_000).toArray();
        String[] keys = Arrays.stream(numbers).mapToObj(number -> "key:" + number).toArray(String[]::new);
        List<String> expected = new ArrayList<>();
        for (int number : numbers) {
            expected.add((arguments[0].equals("mget") ? "value of key:" : "name of user:") + number);
        }
        OneHopClient onehop = OneHopClient.builder().config(Path.of(arguments[1])).pool("alpha").build();
        RedisClusterClient stock = RedisClusterClient.builder().nodes(Arrays.stream(arguments[2].split(","))
                .map(HostAndPort::from).collect(Collectors.toSet())).build();
        Map<String, Supplier<List<String>>> jobs = new LinkedHashMap<>();
        if (arguments[0].equals("mget")) {
            jobs.put("OneHop", () -> onehop.mget(keys));
            jobs.put("RedisClusterClient", () -> stock.mget(keys));
        } else {
            jobs.put("OneHop", () -> names(onehop.pipelined(), numbers));
            jobs.put("RedisClusterClient", () -> names(stock.pipelined(), numbers));
        }
        Map<String, List<Long>> times = new LinkedHashMap<>();
        for (int round = -rounds; round < rounds; round++) { // As many before it counts: the compiler learns.
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
        times.forEach((name, all) -> {
            Collections.sort(all);
            json.add("\"" + name + "\": " + all.get(all.size() / 2));
        });
        System.out.println(json);
        System.exit(0); // The clients' pools keep threads.
    }

    private static List<String> names(AbstractPipeline batch, int[] numbers) {
        List<Response<String>> replies = new ArrayList<>(numbers.length);
        try (batch) {
            for (int number : numbers) {
                replies.add(batch.hget("user:" + number, "name"));
            }
        }
        return replies.stream().map(Response::get).toList();
    }
}
